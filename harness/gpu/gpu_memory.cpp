#include "gpu/gpu_memory.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

namespace cugrade {

Status cuda_status(const char* what, cudaError_t error) {
    if (error == cudaSuccess) return Done{};
    return Error{.message = fmt::format("{}: {} ({})", what, cudaGetErrorName(error),
                                        cudaGetErrorString(error)),
                 .remedy = "check the GPU with nvidia-smi, or grade with --backend emulator"};
}

Result<DeviceMemory> DeviceMemory::of(std::size_t bytes) {
    DeviceMemory out;
    if (auto status = CUGRADE_CUDA(cudaMalloc(&out.at_, std::max<std::size_t>(bytes, 1))); !status)
        return status.error();
    return out;
}
DeviceMemory::~DeviceMemory() {
    if (at_ != nullptr) cudaFree(at_);
}

EventPair::~EventPair() {
    if (from_ != nullptr) cudaEventDestroy(from_);
    if (to_ != nullptr) cudaEventDestroy(to_);
}
Status EventPair::begin() {
    if (from_ == nullptr)
        if (auto status = CUGRADE_CUDA(cudaEventCreate(&from_)); !status) return status.error();
    if (to_ == nullptr)
        if (auto status = CUGRADE_CUDA(cudaEventCreate(&to_)); !status) return status.error();
    if (auto status = CUGRADE_CUDA(cudaEventRecord(from_)); !status) return status.error();
    return Done{};
}
Result<double> EventPair::end_us() {
    if (auto status = CUGRADE_CUDA(cudaEventRecord(to_)); !status) return status.error();
    if (auto status = CUGRADE_CUDA(cudaEventSynchronize(to_)); !status) return status.error();
    float ms = 0;
    if (auto status = CUGRADE_CUDA(cudaEventElapsedTime(&ms, from_, to_)); !status)
        return status.error();
    return 1e3 * static_cast<double>(ms);
}

Result<ExportedMemory> ExportedMemory::of(std::size_t bytes, int device) {
    ExportedMemory self;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location = protocol::on_device(device);
    std::size_t granularity = 0;
    if (auto status = CUGRADE_CUDA(CUGRADE_DRIVER(cuMemGetAllocationGranularity, &granularity,
                                                  &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
        !status)
        return status.error();
    protocol::MappedMemory memory{.bytes = (std::max<std::size_t>(bytes, 1) + granularity - 1) /
                                           granularity * granularity};
    if (auto status = CUGRADE_CUDA(CUGRADE_DRIVER(cuMemCreate, &memory.handle, memory.bytes,
                                                  &properties, static_cast<unsigned long long>(0)));
        !status)
        return status.error();
    if (auto status = CUGRADE_CUDA(protocol::map_memory(memory, device)); !status)
        return status.error();
    self.memory_ = memory;
    if (auto status = CUGRADE_CUDA(CUGRADE_DRIVER(
            cuMemExportToShareableHandle, static_cast<void*>(&self.fd_), memory.handle,
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, static_cast<unsigned long long>(0)));
        !status)
        return status.error();
    return self;
}

ExportedMemory::~ExportedMemory() {
    if (memory_.handle != 0) {
        cudaDeviceSynchronize();
        protocol::unmap_memory(memory_);
    }
    if (fd_ >= 0) close(fd_);
}

}  // namespace cugrade
