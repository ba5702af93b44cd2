// Memory pools. Freed memory goes back to the device at once, so a pool holds nothing: it is a
// handle with attributes that can be set and read.
#include <cstring>
#include <map>

#include "emulator/runtime/internal.hpp"

namespace cugrade::cudart {
namespace {

struct Pool {
    std::map<int, std::uint64_t> attributes;
};
struct State {
    std::map<cudaMemPool_t, Pool> live;
    std::uintptr_t next = 0x1010;
    cudaMemPool_t first = nullptr, current = nullptr;
    cudaMemPool_t create() {
        const auto handle = reinterpret_cast<cudaMemPool_t>(next);
        next += 16;
        live.emplace(handle, Pool{});
        return handle;
    }
};
State& state() {
    static State* const s = [] {
        auto* const made = new State;
        made->first = made->current = made->create();
        return made;
    }();
    return *s;
}

const Outcome no_pool{cudaErrorInvalidValue, "not a live memory pool"};

/// The first four attributes are ints, the others 64 bits wide.
std::size_t width(cudaMemPoolAttr attribute) {
    return attribute <= cudaMemPoolReuseAllowInternalDependencies ? sizeof(int)
                                                                  : sizeof(std::uint64_t);
}

}  // namespace
}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return entry("cudaDeviceGetDefaultMemPool", [&](Runtime&) -> Outcome {
        if (device != 0) return {cudaErrorInvalidDevice, "the only device is 0"};
        *pool = state().first;
        return {};
    });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return entry("cudaDeviceGetMemPool", [&](Runtime&) -> Outcome {
        if (device != 0) return {cudaErrorInvalidDevice, "the only device is 0"};
        *pool = state().current;
        return {};
    });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return entry("cudaDeviceSetMemPool", [&](Runtime&) -> Outcome {
        if (device != 0) return {cudaErrorInvalidDevice, "the only device is 0"};
        if (!state().live.contains(pool)) return no_pool;
        state().current = pool;
        return {};
    });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
    return entry("cudaMemPoolCreate", [&](Runtime&) -> Outcome {
        *pool = state().create();
        return {};
    });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return entry("cudaMemPoolDestroy", [&](Runtime&) -> Outcome {
        if (pool == state().first || state().live.erase(pool) == 0) return no_pool;
        if (state().current == pool) state().current = state().first;
        return {};
    });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
    return entry("cudaMemPoolTrimTo", [&](Runtime&) -> Outcome {
        return state().live.contains(pool) ? Outcome{} : no_pool;
    });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return entry("cudaMemPoolSetAttribute", [&](Runtime&) -> Outcome {
        const auto it = state().live.find(pool);
        if (it == state().live.end()) return no_pool;
        std::uint64_t bits = 0;
        std::memcpy(&bits, value, width(attribute));
        it->second.attributes[attribute] = bits;
        return {};
    });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return entry("cudaMemPoolGetAttribute", [&](Runtime&) -> Outcome {
        const auto it = state().live.find(pool);
        if (it == state().live.end()) return no_pool;
        const std::uint64_t bits = it->second.attributes[attribute];
        std::memcpy(value, &bits, width(attribute));
        return {};
    });
}
cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    bool live = false;
    {
        const std::lock_guard lock(Runtime::get().mutex);
        live = state().live.contains(pool);
    }
    return live ? cudaMallocAsync(out, bytes, stream) : finish("cudaMallocFromPoolAsync", no_pool);
}
CUGRADE_PTSZ(cudaMallocFromPoolAsync)

}  // extern "C"
