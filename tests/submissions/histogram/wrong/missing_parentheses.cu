// expect: bytes=wrong_answer
// Parentheses in the wrong place: (i + gridDim) * blockDim where i + gridDim * blockDim is
// meant. Behind the first 8192 elements hardly any is visited.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i = (i + gridDim.x) * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<32, 256>>>(in, n, bins);
}
