// expect: bytes=accepted bins=accepted
// Interleaved partitioning: a fixed grid, and each thread steps by the number of threads, so
// that neighbouring threads read neighbouring elements. The atomics still go to global memory.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    while (i < n) {
        atomicAdd(&bins[in[i]], 1u);
        i += stride;
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
