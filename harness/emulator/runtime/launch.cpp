// Launches and what can be asked about a kernel.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/runtime/internal.hpp"
#include "emulator/runtime/stream.hpp"

using namespace cugrade::cudart;

namespace {

cudaError_t launch(const char* api, const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared, cudaStream_t stream, bool cooperative) {
    return entry(api, [&](Runtime& r) -> Outcome {
        HostFunction* f = nullptr;
        if (Outcome o = r.find(function, f); !o) {
            if (f != nullptr) o.why = readable(f->name) + ": " + o.why;
            return o;
        }
        if (!is_stream(stream)) return {cudaErrorInvalidResourceHandle, "not a live stream"};
        Outcome o = r.launch(f->kernel, grid, block, arguments, shared, cooperative);
        if (!o) o.why = readable(f->name) + ": " + o.why;
        return o;
    });
}

/// Blocks of a kernel that fit on one multiprocessor at once.
int resident_blocks(const Runtime& r, const Kernel& k, int block_size, std::size_t dynamic_shared) {
    const auto& d = r.device();
    const std::uint64_t threads = (static_cast<std::uint64_t>(block_size) + 31) / 32 * 32;
    std::uint64_t blocks = std::min<std::uint64_t>(d.resident_blocks, d.resident_threads / threads);
    const std::uint64_t shared = k.info.static_shared + dynamic_shared;
    if (shared > d.max_shared_per_block_optin) return 0;
    if (shared > 0) blocks = std::min(blocks, d.max_shared_per_block_optin / shared);
    // 65536 registers per multiprocessor, given to warps in units of 256.
    const std::uint64_t registers = (std::clamp(k.info.registers, 1u, 255u) * 32 + 255) / 256 * 256;
    return static_cast<int>(std::min(blocks, 65536 / (registers * (threads / 32))));
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
    return launch("kernel launch", function, grid, block, arguments, shared, stream, false);
}
CUGRADE_PTSZ(cudaLaunchKernel)

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared, cudaStream_t stream) {
    return launch("cudaLaunchCooperativeKernel", function, grid, block, arguments, shared, stream,
                  true);
}
CUGRADE_PTSZ(cudaLaunchCooperativeKernel)

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
    if (config == nullptr) return finish("cudaLaunchKernelExC", invalid("no configuration"));
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& a = config->attrs[i];
        if (a.id == cudaLaunchAttributeCooperative) cooperative = a.val.cooperative != 0;
        if (a.id == cudaLaunchAttributeClusterDimension &&
            a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z > 1)
            return finish("cudaLaunchKernelExC",
                          {cudaErrorNotSupported, "the emulated GPU has no thread block clusters"});
    }
    return launch("cudaLaunchKernelExC", function, config->gridDim, config->blockDim, arguments,
                  config->dynamicSmemBytes, config->stream, cooperative);
}
CUGRADE_PTSZ(cudaLaunchKernelExC)

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
    return entry("cudaFuncGetAttributes", [&](Runtime& r) -> Outcome {
        HostFunction* f = nullptr;
        if (Outcome o = r.find(function, f); !o) return o;
        const auto& info = f->kernel.info;
        *out = {};
        out->sharedSizeBytes = info.static_shared;
        out->localSizeBytes = info.local_bytes;
        out->maxThreadsPerBlock = static_cast<int>(info.max_threads);
        out->numRegs = static_cast<int>(std::min(info.registers, 255u));
        out->ptxVersion = static_cast<int>(info.ptx_arch);
        out->binaryVersion = static_cast<int>(r.device().arch);
        out->maxDynamicSharedSizeBytes = static_cast<int>(
            f->kernel.dynamic_shared_limit != 0
                ? f->kernel.dynamic_shared_limit
                : r.device().max_shared_per_block -
                      std::min<std::uint64_t>(info.static_shared, r.device().max_shared_per_block));
        out->preferredShmemCarveout = -1;
        return {};
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return entry("cudaFuncSetAttribute", [&](Runtime& r) -> Outcome {
        HostFunction* f = nullptr;
        if (Outcome o = r.find(function, f); !o) return o;
        if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
            if (value < -1 || value > 100) return invalid("a carve-out is -1, or 0 to 100 percent");
            return {};
        }
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
            return {cudaErrorNotSupported, "the emulated GPU has no thread block clusters"};
        const std::uint64_t most = r.device().max_shared_per_block_optin;
        if (value < 0 || static_cast<std::uint64_t>(value) + f->kernel.info.static_shared > most)
            return invalid(std::to_string(value) +
                           " bytes of dynamic shared memory; a block may "
                           "have " +
                           std::to_string(most) + " in all");
        f->kernel.dynamic_shared_limit = static_cast<std::uint64_t>(value);
        return {};
    });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    return entry("cudaFuncGetName", [&](Runtime& r) -> Outcome {
        HostFunction* f = nullptr;
        if (Outcome o = r.find(function, f); !o) return o;
        *name = f->name.c_str();
        return {};
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return entry("cudaFuncSetCacheConfig", [&](Runtime& r) -> Outcome {
        HostFunction* f = nullptr;
        return r.find(function, f);
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, std::size_t dynamic_shared, unsigned) {
    return entry("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& r) -> Outcome {
        if (blocks == nullptr || block_size <= 0)
            return invalid("block size and result must be given");
        HostFunction* f = nullptr;
        if (Outcome o = r.find(function, f); !o) return o;
        *blocks = block_size > static_cast<int>(f->kernel.info.max_threads)
                      ? 0
                      : resident_blocks(r, f->kernel, block_size, dynamic_shared);
        return {};
    });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size, std::size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                  shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                      int blocks, int block_size) {
    return entry("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Runtime& r) -> Outcome {
        if (bytes == nullptr || blocks <= 0 || block_size <= 0)
            return invalid("numbers of blocks and threads and the result must be given");
        HostFunction* f = nullptr;
        if (Outcome o = r.find(function, f); !o) return o;
        const std::uint64_t share =
            r.device().max_shared_per_block_optin / static_cast<unsigned>(blocks);
        *bytes = share > f->kernel.info.static_shared ? share - f->kernel.info.static_shared : 0;
        return {};
    });
}

}  // extern "C"
