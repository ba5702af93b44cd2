// Properties of the emulated device. Its limits are those of its compute capability (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability"). It has neither clocks nor
// a memory bus, but reports those of a middling card, because programs divide by them.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emulator/runtime/stream.hpp"

namespace cugrade::cudart {
namespace {

constexpr int registers = 65536;
constexpr int core_khz = 1500000, memory_khz = 5000000, memory_bits = 256;

Outcome check_device(int device) {
    return device == 0 ? Outcome{} : Outcome{cudaErrorInvalidDevice, "the only device is 0"};
}

int to_int(std::uint64_t n) { return static_cast<int>(std::min<std::uint64_t>(n, 0x7FFFFFFF)); }

/// The value of an attribute. The attributes that are not listed are abilities that this device
/// lacks, so they are 0.
int attribute_value(const protocol::DeviceInfo& d, cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY: return 1024;
        case cudaDevAttrMaxBlockDimZ: return 64;
        case cudaDevAttrMaxGridDimX: return 0x7FFFFFFF;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ: return 65535;
        case cudaDevAttrMaxSharedMemoryPerBlock: return to_int(d.max_shared_per_block);
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return to_int(d.max_shared_per_block_optin);
        case cudaDevAttrTotalConstantMemory: return 65536;
        case cudaDevAttrWarpSize: return 32;
        case cudaDevAttrMaxPitch: return 0x7FFFFFFF;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor: return registers;
        case cudaDevAttrTextureAlignment:
        case cudaDevAttrSurfaceAlignment: return 512;
        case cudaDevAttrTexturePitchAlignment: return 32;
        case cudaDevAttrMultiProcessorCount: return to_int(d.multiprocessors);
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrMemoryPoolsSupported:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrDirectManagedMemAccessFromHost:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrGlobalL1CacheSupported:
        case cudaDevAttrLocalL1CacheSupported: return 1;
        case cudaDevAttrAsyncEngineCount: return 2;
        case cudaDevAttrClockRate: return core_khz;
        case cudaDevAttrMemoryClockRate: return memory_khz;
        case cudaDevAttrGlobalMemoryBusWidth: return memory_bits;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio: return 32;
        case cudaDevAttrReservedSharedMemoryPerBlock: return 0;
        case cudaDevAttrL2CacheSize: return 4 << 20;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return to_int(d.resident_threads);
        case cudaDevAttrMaxBlocksPerMultiprocessor: return to_int(d.resident_blocks);
        case cudaDevAttrComputeCapabilityMajor: return to_int(d.arch / 10);
        case cudaDevAttrComputeCapabilityMinor: return to_int(d.arch % 10);
        default: return 0;
    }
}

}  // namespace
}  // namespace cugrade::cudart

using namespace cugrade::cudart;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    return entry("cudaGetDeviceCount", [&](Runtime& r) -> Outcome {
        if (count == nullptr) return invalid("there is no result to write");
        Outcome o = r.connect();
        *count = o ? 1 : 0;
        return o;
    });
}
cudaError_t cudaGetDevice(int* device) {
    return entry("cudaGetDevice", [&](Runtime& r) -> Outcome {
        if (device == nullptr) return invalid("there is no result to write");
        *device = 0;
        return r.connect();
    });
}
cudaError_t cudaSetDevice(int device) {
    return entry("cudaSetDevice", [&](Runtime& r) -> Outcome {
        if (Outcome o = check_device(device); !o) return o;
        return r.connect();
    });
}
cudaError_t cudaSetDeviceFlags(unsigned) { return finish("cudaSetDeviceFlags", {}); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = cudaDeviceScheduleAuto;
    return cudaSuccess;
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

cudaError_t cudaDeviceSynchronize() {
    return whole_device_entry("cudaDeviceSynchronize", [](Runtime&) { return Outcome{}; });
}
// Frees nothing: the program's buffers and modules end with the process, and the grader's buffers
// must stay.
cudaError_t cudaDeviceReset() {
    return whole_device_entry("cudaDeviceReset", [](Runtime&) { return Outcome{}; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
    return entry("cudaGetDeviceProperties", [&](Runtime& r) -> Outcome {
        if (out == nullptr) return invalid("there is no result to write");
        if (Outcome o = check_device(device); !o) return o;
        if (Outcome o = r.connect(); !o) return o;
        const auto& d = r.device();
        const auto get = [&](cudaDeviceAttr a) { return attribute_value(d, a); };
        std::memset(out, 0, sizeof *out);
        std::snprintf(out->name, sizeof out->name, "cugrade emulated GPU, compute_%u", d.arch);
        out->totalGlobalMem = d.memory_bytes;
        out->sharedMemPerBlock = d.max_shared_per_block;
        out->regsPerBlock = registers;
        out->warpSize = 32;
        out->memPitch = static_cast<std::size_t>(get(cudaDevAttrMaxPitch));
        out->maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
        out->maxThreadsDim[0] = get(cudaDevAttrMaxBlockDimX);
        out->maxThreadsDim[1] = get(cudaDevAttrMaxBlockDimY);
        out->maxThreadsDim[2] = get(cudaDevAttrMaxBlockDimZ);
        out->maxGridSize[0] = get(cudaDevAttrMaxGridDimX);
        out->maxGridSize[1] = get(cudaDevAttrMaxGridDimY);
        out->maxGridSize[2] = get(cudaDevAttrMaxGridDimZ);
        out->totalConstMem = static_cast<std::size_t>(get(cudaDevAttrTotalConstantMemory));
        out->major = get(cudaDevAttrComputeCapabilityMajor);
        out->minor = get(cudaDevAttrComputeCapabilityMinor);
        out->textureAlignment = static_cast<std::size_t>(get(cudaDevAttrTextureAlignment));
        out->texturePitchAlignment =
            static_cast<std::size_t>(get(cudaDevAttrTexturePitchAlignment));
        out->surfaceAlignment = static_cast<std::size_t>(get(cudaDevAttrSurfaceAlignment));
        out->multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
        out->concurrentKernels = get(cudaDevAttrConcurrentKernels);
        out->unifiedAddressing = get(cudaDevAttrUnifiedAddressing);
        out->l2CacheSize = get(cudaDevAttrL2CacheSize);
        out->maxThreadsPerMultiProcessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
        out->streamPrioritiesSupported = get(cudaDevAttrStreamPrioritiesSupported);
        out->sharedMemPerMultiprocessor = d.max_shared_per_block_optin;
        out->sharedMemPerBlockOptin = d.max_shared_per_block_optin;
        out->regsPerMultiprocessor = registers;
        out->asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
        out->canMapHostMemory = get(cudaDevAttrCanMapHostMemory);
        out->managedMemory = get(cudaDevAttrManagedMemory);
        out->concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
        out->directManagedMemAccessFromHost = get(cudaDevAttrDirectManagedMemAccessFromHost);
        out->hostRegisterSupported = get(cudaDevAttrHostRegisterSupported);
        out->globalL1CacheSupported = get(cudaDevAttrGlobalL1CacheSupported);
        out->localL1CacheSupported = get(cudaDevAttrLocalL1CacheSupported);
        out->memoryBusWidth = memory_bits;
        out->reservedSharedMemPerBlock =
            static_cast<std::size_t>(get(cudaDevAttrReservedSharedMemoryPerBlock));
#if CUDART_VERSION < 13000
        out->clockRate = core_khz;
        out->memoryClockRate = memory_khz;
        out->deviceOverlap = 1;
        out->singleToDoublePrecisionPerfRatio = 32;
#endif
        std::memcpy(out->uuid.bytes, "cugrade-emulated", sizeof out->uuid.bytes);
        out->cooperativeLaunch = get(cudaDevAttrCooperativeLaunch);
        out->maxBlocksPerMultiProcessor = get(cudaDevAttrMaxBlocksPerMultiprocessor);
        out->memoryPoolsSupported = get(cudaDevAttrMemoryPoolsSupported);
        return {};
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return entry("cudaDeviceGetAttribute", [&](Runtime& r) -> Outcome {
        if (value == nullptr) return invalid("there is no result to write");
        if (Outcome o = check_device(device); !o) return o;
        if (Outcome o = r.connect(); !o) return o;
        if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
            return invalid("there is no such attribute");
        *value = attribute_value(r.device(), attribute);
        return {};
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    return entry("cudaDeviceGetLimit", [&](Runtime& r) -> Outcome {
        if (value == nullptr) return invalid("there is no result to write");
        switch (limit) {
            case cudaLimitStackSize: *value = 1024; return {};
            case cudaLimitPrintfFifoSize: *value = protocol::max_printed; return {};
            case cudaLimitMallocHeapSize: *value = std::size_t{8} << 20; return {};
            case cudaLimitDevRuntimePendingLaunchCount: *value = r.pending_launches; return {};
            default: return {cudaErrorUnsupportedLimit, "this limit is not emulated"};
        }
    });
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    if (limit == cudaLimitDevRuntimePendingLaunchCount)
        return entry("cudaDeviceSetLimit", [&](Runtime& r) -> Outcome {
            if (value == 0 || value > protocol::max_pending_launches)
                return invalid("at least 1 and at most " +
                               std::to_string(protocol::max_pending_launches));
            r.pending_launches = value;
            return {};
        });
    // The emulator's own values of the other limits are larger than any default, so nothing is set.
    return cudaDeviceGetLimit(&value, limit);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return finish("cudaDeviceEnablePeerAccess",
                  {cudaErrorInvalidDevice, "there is no other device"});
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
    return entry("cudaDeviceGetPCIBusId", [&](Runtime&) -> Outcome {
        if (Outcome o = check_device(device); !o) return o;
        if (text == nullptr || size < 13) return invalid("13 characters are needed");
        std::memcpy(text, "0000:00:00.0", 13);
        return {};
    });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
    return entry("cudaDeviceGetByPCIBusId", [&](Runtime&) -> Outcome {
        if (std::strcmp(text, "0000:00:00.0") != 0) return check_device(-1);
        *device = 0;
        return {};
    });
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
