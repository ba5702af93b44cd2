// Launches, and queries about kernels.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "emulator/runtime/internal.hpp"
#include "emulator/runtime/stream.hpp"
#include "protocol/occupancy.hpp"

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
        Outcome o = r.synchronise();
        std::vector<std::byte> message;
        if (o)
            o = r.prepare_launch(f->kernel, grid, block, arguments, shared, cooperative, message);
        const auto prepared = std::make_shared<const std::vector<std::byte>>(std::move(message));
        if (o)
            o = do_in_order(
                r, stream, [prepared](Runtime& then) { return then.launch(*prepared); }, 0,
                [&] { return r.check_launch(*prepared); });
        if (!o) o.why = readable(f->name) + ": " + o.why;
        return o;
    });
}

/// Blocks of a kernel that fit on one multiprocessor at once.
int resident_blocks(const Runtime& r, const Kernel& k, int block_size, std::size_t dynamic_shared) {
    const auto& d = r.device();
    if (dynamic_shared > d.max_shared_per_block_optin) return 0;
    const protocol::Multiprocessor one{.threads = d.resident_threads,
                                       .blocks = d.resident_blocks,
                                       .shared_bytes = d.max_shared_per_block_optin};
    const std::uint64_t shared =
        protocol::shared_bytes_of_block(k.info.static_shared, dynamic_shared);
    return static_cast<int>(
        protocol::resident_blocks(one, static_cast<std::uint64_t>(block_size), shared).count);
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
    const std::uint32_t written_as_launch = std::exchange(launch_site, 0);
    const CallSite site(written_as_launch != 0 ? written_as_launch
                                               : CallSite::offset_of(__builtin_return_address(0)));
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
        const std::uint64_t taken = (f->kernel.info.static_shared + 15) / 16 * 16;
        *bytes = share > taken ? share - taken : 0;
        return {};
    });
}

}  // extern "C"
