// expect: bytes=time_limit
// expect-gpu: skip
// report: time_limit 11
// A while loop without braces: the step is not part of it, so every thread counts its first byte
// for ever.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    while (i < n) atomicAdd(&bins[in[i]], 1u);
    i += stride;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
