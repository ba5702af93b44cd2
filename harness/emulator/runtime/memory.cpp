// Allocation, copies and symbols. Every copy is complete when its call returns.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "emulator/runtime/internal.hpp"
#include "emulator/runtime/stream.hpp"

namespace cugrade::cudart {
namespace {

using protocol::Reply;
using protocol::RunnerRequest;

/// Rows are this far apart in cudaMallocPitch, as on hardware.
constexpr std::size_t pitch_granule = 512;

/// Host memory from cudaMallocHost and cudaHostRegister: start and size. Guarded by Runtime::mutex.
std::map<const void*, std::size_t>& pinned() {
    static auto* const m = new std::map<const void*, std::size_t>;
    return *m;
}
Outcome allocate(Runtime& r, void** out, std::size_t bytes) {
    if (out == nullptr) return invalid("there is no pointer to set");
    *out = nullptr;
    if (bytes == 0) return {};
    // Named by order, as the student's source is not known here: "allocation 3".
    static unsigned count = 0;
    const std::string name = "allocation " + std::to_string(++count);
    Reply reply;
    Outcome o = r.ask(RunnerRequest::allocate, {.bytes = bytes}, std::as_bytes(std::span(name)),
                      std::span<std::byte>{}, &reply);
    if (o) *out = reinterpret_cast<void*>(reply.value);
    return o;
}

Outcome release(Runtime& r, void* p) {
    if (p == nullptr) return {};
    if (!is_device(p)) return invalid("not a device address; free host memory with free()");
    return r.ask(RunnerRequest::release, {.address = address_of(p)});
}

/// The direction of a copy, with cudaMemcpyDefault and mistakes seen from the addresses.
Outcome direction(cudaMemcpyKind& kind, const void* to, const void* from) {
    const bool to_device = is_device(to), from_device = is_device(from);
    const cudaMemcpyKind real =
        to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                  : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
    static constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                            "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                            "cudaMemcpyDefault"};
    if (static_cast<unsigned>(kind) > cudaMemcpyDefault)
        return {cudaErrorInvalidMemcpyDirection, "there is no such direction"};
    if (kind == cudaMemcpyDefault) kind = real;
    if (kind != real)
        return invalid(std::string(names[kind]) + " was asked for, but the destination is a " +
                       (to_device ? "device" : "host") + " address and the source a " +
                       (from_device ? "device" : "host") +
                       " address; the order is destination, source");
    return {};
}

Outcome copy(Runtime& r, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return {};
    if (to == nullptr || from == nullptr) return invalid("a null pointer");
    if (Outcome o = direction(kind, to, from); !o) return o;
    switch (kind) {
        case cudaMemcpyHostToDevice: return r.write(address_of(to), from, bytes);
        case cudaMemcpyDeviceToHost: return r.read(to, address_of(from), bytes);
        case cudaMemcpyDeviceToDevice:
            return r.ask(RunnerRequest::copy,
                         {.address = address_of(to), .other = address_of(from), .bytes = bytes});
        default: std::memmove(to, from, bytes); return {};
    }
}

Outcome fill(Runtime& r, void* to, int value, std::size_t bytes) {
    if (bytes == 0) return {};
    if (!is_device(to)) return invalid("the destination is not a device address");
    return r.ask(
        RunnerRequest::fill,
        {.address = address_of(to), .bytes = bytes, .value = static_cast<unsigned char>(value)});
}

const Outcome no_stream{cudaErrorInvalidResourceHandle, "not a live stream"};

cudaError_t copy_entry(const char* api, void* to, const void* from, std::size_t bytes,
                       cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) {
        return is_stream(stream) ? copy(r, to, from, bytes, kind) : no_stream;
    });
}

cudaError_t copy_2d(const char* api, void* to, std::size_t to_pitch, const void* from,
                    std::size_t from_pitch, std::size_t width, std::size_t height,
                    cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        if (width > to_pitch || width > from_pitch)
            return {cudaErrorInvalidPitchValue, "a row is wider than its pitch"};
        if (width == to_pitch && width == from_pitch)
            return copy(r, to, from, width * height, kind);
        for (std::size_t y = 0; y < height; ++y)
            if (Outcome o = copy(r, static_cast<char*>(to) + y * to_pitch,
                                 static_cast<const char*>(from) + y * from_pitch, width, kind);
                !o)
                return o;
        return {};
    });
}

cudaError_t fill_entry(const char* api, void* to, std::size_t pitch, int value, std::size_t width,
                       std::size_t height, cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        if (height > 1 && width > pitch)
            return {cudaErrorInvalidPitchValue, "a row is wider than its pitch"};
        if (width == pitch) return fill(r, to, value, width * height);
        for (std::size_t y = 0; y < height; ++y)
            if (Outcome o = fill(r, static_cast<char*>(to) + y * pitch, value, width); !o) return o;
        return {};
    });
}

/// A copy to or from `bytes` bytes at `offset` of a variable.
cudaError_t symbol_copy(const char* api, const void* symbol, void* to, const void* from,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                        cudaStream_t stream = nullptr) {
    return synchronising_entry(api, [&](Runtime& r) -> Outcome {
        if (!is_stream(stream)) return no_stream;
        HostVariable* v = nullptr;
        if (Outcome o = r.find(symbol, v); !o) return o;
        if (offset > v->bytes || bytes > v->bytes - offset)
            return invalid(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                           " of `" + v->name + "`, which has " + std::to_string(v->bytes));
        void* variable = reinterpret_cast<void*>(v->address + offset);
        return copy(r, to == nullptr ? variable : to, to == nullptr ? from : variable, bytes, kind);
    });
}

cudaError_t allocate_host(const char* api, void** out, std::size_t bytes) {
    return entry(api, [&](Runtime&) -> Outcome {
        if (out == nullptr) return invalid("there is no pointer to set");
        *out = bytes == 0 ? nullptr : std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        if (bytes != 0 && *out == nullptr) return {cudaErrorMemoryAllocation, "out of host memory"};
        if (*out != nullptr) pinned()[*out] = bytes;
        return {};
    });
}

}  // namespace
}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    return synchronising_entry("cudaMalloc", [&](Runtime& r) { return allocate(r, out, bytes); });
}
cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t stream) {
    return synchronising_entry("cudaMallocAsync", [&](Runtime& r) {
        return is_stream(stream) ? allocate(r, out, bytes) : no_stream;
    });
}
CUGRADE_PTSZ(cudaMallocAsync)
cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    return synchronising_entry("cudaMallocPitch", [&](Runtime& r) -> Outcome {
        if (pitch == nullptr) return invalid("there is no pitch to set");
        *pitch = (width + pitch_granule - 1) / pitch_granule * pitch_granule;
        std::size_t bytes = 0;
        if (*pitch < width || __builtin_mul_overflow(*pitch, height, &bytes))
            return {cudaErrorMemoryAllocation, "more than the address space holds"};
        return allocate(r, out, bytes);
    });
}
cudaError_t cudaMallocManaged(void** out, std::size_t, unsigned) {
    return entry("cudaMallocManaged", [&](Runtime&) -> Outcome {
        if (out != nullptr) *out = nullptr;
        return {
            cudaErrorNotSupported,
            "unified memory is not supported by the emulated GPU; use cudaMalloc and cudaMemcpy"};
    });
}
cudaError_t cudaFree(void* p) {
    return synchronising_entry("cudaFree", [&](Runtime& r) { return release(r, p); });
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    return synchronising_entry(
        "cudaFreeAsync", [&](Runtime& r) { return is_stream(stream) ? release(r, p) : no_stream; });
}
CUGRADE_PTSZ(cudaFreeAsync)

cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    return allocate_host("cudaMallocHost", out, bytes);
}
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    if ((flags & cudaHostAllocMapped) != 0)
        return finish("cudaHostAlloc", {cudaErrorNotSupported,
                                        "kernels of the emulated GPU cannot use host memory"});
    return allocate_host("cudaHostAlloc", out, bytes);
}
cudaError_t cudaFreeHost(void* p) {
    return entry("cudaFreeHost", [&](Runtime&) -> Outcome {
        if (p == nullptr) return {};
        if (pinned().erase(p) == 0) return invalid("not from cudaMallocHost or cudaHostAlloc");
        std::free(p);
        return {};
    });
}
cudaError_t cudaHostRegister(void* p, std::size_t, unsigned flags) {
    return entry("cudaHostRegister", [&](Runtime&) -> Outcome {
        if (p == nullptr) return invalid("a null pointer");
        if ((flags & cudaHostRegisterMapped) != 0)
            return {cudaErrorNotSupported, "kernels of the emulated GPU cannot use host memory"};
        return {};  // all host memory is as good as pinned
    });
}
cudaError_t cudaHostUnregister(void*) { return finish("cudaHostUnregister", {}); }
cudaError_t cudaHostGetDevicePointer(void** out, void*, unsigned) {
    if (out != nullptr) *out = nullptr;
    return finish("cudaHostGetDevicePointer",
                  {cudaErrorNotSupported, "kernels of the emulated GPU cannot use host memory"});
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return copy_entry("cudaMemcpy", to, from, bytes, kind);
}
CUGRADE_PTDS(cudaMemcpy)
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return copy_entry("cudaMemcpyAsync", to, from, bytes, kind, stream);
}
CUGRADE_PTSZ(cudaMemcpyAsync)
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
    return copy_entry("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_2d("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
CUGRADE_PTDS(cudaMemcpy2D)
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind,
                   stream);
}
CUGRADE_PTSZ(cudaMemcpy2DAsync)

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return fill_entry("cudaMemset", to, bytes, value, bytes, 1);
}
CUGRADE_PTDS(cudaMemset)
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return fill_entry("cudaMemsetAsync", to, bytes, value, bytes, 1, stream);
}
CUGRADE_PTSZ(cudaMemsetAsync)
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    return fill_entry("cudaMemset2D", to, pitch, value, width, height);
}
CUGRADE_PTDS(cudaMemset2D)
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
    return fill_entry("cudaMemset2DAsync", to, pitch, value, width, height, stream);
}
CUGRADE_PTSZ(cudaMemset2DAsync)

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
    return symbol_copy("cudaMemcpyToSymbol", symbol, nullptr, from, bytes, offset, kind);
}
CUGRADE_PTDS(cudaMemcpyToSymbol)
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return symbol_copy("cudaMemcpyToSymbolAsync", symbol, nullptr, from, bytes, offset, kind,
                       stream);
}
CUGRADE_PTSZ(cudaMemcpyToSymbolAsync)
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
    if (to == nullptr) return finish("cudaMemcpyFromSymbol", invalid("a null pointer"));
    return symbol_copy("cudaMemcpyFromSymbol", symbol, to, nullptr, bytes, offset, kind);
}
CUGRADE_PTDS(cudaMemcpyFromSymbol)
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    if (to == nullptr) return finish("cudaMemcpyFromSymbolAsync", invalid("a null pointer"));
    return symbol_copy("cudaMemcpyFromSymbolAsync", symbol, to, nullptr, bytes, offset, kind,
                       stream);
}
CUGRADE_PTSZ(cudaMemcpyFromSymbolAsync)

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
    return synchronising_entry("cudaGetSymbolAddress", [&](Runtime& r) -> Outcome {
        HostVariable* v = nullptr;
        if (Outcome o = r.find(symbol, v); !o) return o;
        *out = reinterpret_cast<void*>(v->address);
        return {};
    });
}
cudaError_t cudaGetSymbolSize(std::size_t* out, const void* symbol) {
    return synchronising_entry("cudaGetSymbolSize", [&](Runtime& r) -> Outcome {
        HostVariable* v = nullptr;
        if (Outcome o = r.find(symbol, v); !o) return o;
        *out = v->bytes;
        return {};
    });
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    return synchronising_entry("cudaMemGetInfo", [&](Runtime& r) -> Outcome {
        protocol::Reply reply;
        Outcome o =
            r.ask(protocol::RunnerRequest::memory_info, {}, {}, std::span<std::byte>{}, &reply);
        if (available != nullptr) *available = reply.value;
        if (total != nullptr) *total = reply.value2;
        return o;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
    return entry("cudaPointerGetAttributes", [&](Runtime&) -> Outcome {
        if (out == nullptr) return invalid("there is no result to write");
        *out = {};
        if (is_device(p)) {
            out->type = cudaMemoryTypeDevice;
            out->devicePointer = const_cast<void*>(p);
            return {};
        }
        out->device = -2;
        out->type = cudaMemoryTypeUnregistered;
        const auto after = pinned().upper_bound(p);
        if (after != pinned().begin() &&
            address_of(p) - address_of(std::prev(after)->first) < std::prev(after)->second) {
            out->type = cudaMemoryTypeHost;
            out->device = 0;
        }
        out->hostPointer = const_cast<void*>(p);
        return {};
    });
}

}  // extern "C"
