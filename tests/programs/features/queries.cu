// What a program may ask about the device and about a kernel.
#include "check.h"

#include <cstring>

__global__ void __launch_bounds__(256) kernel(int* out) {
    __shared__ int shared[64];
    shared[threadIdx.x % 64] = 1;
    __syncthreads();
    out[threadIdx.x] = shared[threadIdx.x % 64];
}

int main() {
    int count = 0, value = 0, blocks = 0, grid = 0, block = 0;
    CUDA(cudaGetDeviceCount(&count));
    EXPECT(count == 1);
    CUDA(cudaSetDevice(0));
    EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() != cudaSuccess);
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    EXPECT(std::strlen(p.name) > 0 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
    EXPECT(p.major >= 7 && p.multiProcessorCount > 0 && p.totalGlobalMem > 1u << 30);
    EXPECT(p.managedMemory == 1 && p.canMapHostMemory == 1 && p.memoryBusWidth > 0);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT(value == p.major);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    EXPECT(value > 100000);

    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, kernel));
    EXPECT(a.sharedSizeBytes == 256 && a.maxThreadsPerBlock == 256 && a.numRegs > 0);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    EXPECT(blocks > 0 && blocks * 256 <= p.maxThreadsPerMultiProcessor);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
    EXPECT(block == 256 && grid == blocks * p.multiProcessorCount);
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    size_t available = 0, total = 0;
    CUDA(cudaMemGetInfo(&available, &total));
    EXPECT(available > 0 && available <= total);
    int runtime = 0, driver = 0;
    CUDA(cudaRuntimeGetVersion(&runtime));
    CUDA(cudaDriverGetVersion(&driver));
    EXPECT(runtime >= 12000 && driver >= runtime);

    int* out;
    CUDA(cudaMalloc(&out, 1024));
    kernel<<<1, 257>>>(out);  // more than its launch bounds
    EXPECT(cudaGetLastError() != cudaSuccess);
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 256;
    CUDA(cudaLaunchKernelEx(&config, kernel, out));
    CUDA(cudaDeviceSynchronize());
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    CUDA(cudaFree(out));
    CUDA(cudaDeviceReset());
    return 0;
}
