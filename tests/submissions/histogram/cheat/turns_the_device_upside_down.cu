// expect: bytes=accepted
// at-most: bytes.performance=0
// Absurd limits, resets, other devices, the profiler switched off in the middle; then it counts honestly.
#include <cuda_profiler_api.h>

#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    for (const auto limit : {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimePendingLaunchCount})
        for (const std::size_t value : {~std::size_t{0}, std::size_t{0}}) (void)cudaDeviceSetLimit(limit, value);
    (void)cudaSetDevice(99);
    (void)cudaProfilerStart();
    (void)cudaDeviceReset();
    (void)cudaProfilerStop();
    (void)cudaFree(bins);
    (void)cudaMemset(bins - (std::size_t{1} << 40), 0, ~std::size_t{0});
    (void)cudaGetLastError();
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
