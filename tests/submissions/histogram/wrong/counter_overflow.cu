// expect: bytes=wrong_answer
// Private counters of 16 bits, two to a word: a block that meets one value more than 65535 times
// carries into the neighbour, and the high counter loses its carry. Only long constant data
// shows it.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int pairs[128];
    if (threadIdx.x < 128) pairs[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&pairs[in[i] / 2], in[i] % 2 ? 1u << 16 : 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], pairs[threadIdx.x / 2] >> threadIdx.x % 2 * 16 & 0xffff);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<8, 256>>>(in, n, bins);
}
