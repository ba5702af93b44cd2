// expect: bins=uninitialised_read
// report: uninitialised_read 10
// cudaMemset is given the number of bins where it wants bytes: three quarters of the bins keep
// their old contents.
#include "interface.cuh"

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size);
    count<<<32, 256>>>(in, n, bins);
}
