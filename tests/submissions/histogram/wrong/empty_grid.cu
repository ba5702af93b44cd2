// expect: bytes=launch_error
// No elements, no blocks: a grid of size 0 is an error, so the histogram of nothing fails.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(in, n, bins);
}
