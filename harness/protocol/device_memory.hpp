// Device memory that one process makes and another maps, by a file descriptor: CUDA's virtual
// memory management. It belongs to the driver's API. Its functions are looked up by name, so
// nothing links libcuda, which is not everywhere.
//
// The memory is not from a memory pool. Importing an allocation of 6 GiB or more of a pool ends the
// importer with SIGSEGV (driver 580, H200; 5 GiB can be imported), and a process with a pool's
// descriptor has all of the pool.
#pragma once

#include <cstddef>

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace cugrade::protocol {

/// Physical memory of the current device, and its address in this process.
struct MappedMemory {
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;  ///< a multiple of the granularity
};

/// Calls a function of the driver's API and returns its result, by the same number. `F`: the
/// function's type.
template <class F, class... Arguments>
[[nodiscard]] cudaError_t driver(const char* name, Arguments... arguments) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    constexpr unsigned version = 12000;  // has all that is used here, as it is declared
    if (const cudaError_t error =
            cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found);
        error != cudaSuccess)
        return error;
    if (found != cudaDriverEntryPointSuccess) return cudaErrorSymbolNotFound;
    return static_cast<cudaError_t>(reinterpret_cast<F*>(function)(arguments...));
}

#define CUGRADE_DRIVER(function, ...) \
    (::cugrade::protocol::driver<decltype(function)>(#function, __VA_ARGS__))

inline CUmemLocation on_device(int device) {
    CUmemLocation location{};
    location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    location.id = device;
    return location;
}

/// Undoes map_memory() and releases the handle. The memory is free again once all processes have
/// released it. Precondition: no kernel uses it any more.
inline void unmap_memory(MappedMemory& memory) {
    if (memory.address != 0) {
        (void)CUGRADE_DRIVER(cuMemUnmap, memory.address, memory.bytes);
        (void)CUGRADE_DRIVER(cuMemAddressFree, memory.address, memory.bytes);
    }
    if (memory.handle != 0) (void)CUGRADE_DRIVER(cuMemRelease, memory.handle);
    memory = {};
}

/// Maps the memory of `handle` at a new address. On failure unmaps it and releases the handle.
[[nodiscard]] inline cudaError_t map_memory(MappedMemory& memory, int device) {
    CUdeviceptr address = 0;
    cudaError_t error = CUGRADE_DRIVER(cuMemAddressReserve, &address, memory.bytes, std::size_t{0},
                                       CUdeviceptr{0}, static_cast<unsigned long long>(0));
    if (error == cudaSuccess) {
        error = CUGRADE_DRIVER(cuMemMap, address, memory.bytes, std::size_t{0}, memory.handle,
                               static_cast<unsigned long long>(0));
        if (error == cudaSuccess)
            memory.address = address;
        else
            (void)CUGRADE_DRIVER(cuMemAddressFree, address, memory.bytes);
    }
    if (error == cudaSuccess) {
        CUmemAccessDesc access{};
        access.location = on_device(device);
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        error = CUGRADE_DRIVER(cuMemSetAccess, memory.address, memory.bytes,
                               static_cast<const CUmemAccessDesc*>(&access), std::size_t{1});
    }
    if (error != cudaSuccess) unmap_memory(memory);
    return error;
}

}  // namespace cugrade::protocol
