// expect: bytes=barrier_divergence
// report: barrier_divergence 9 11
// Threads without an element return first of all, and with them goes their part of the merge:
// bins whose thread had nothing to count are never written.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int mine[256];
    if (threadIdx.x >= n) return;
    for (unsigned int b = threadIdx.x; b < 256; b += n < 1024 ? n : 1024) mine[b] = 0;
    __syncthreads();
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 256) bins[threadIdx.x] = mine[threadIdx.x];
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    count<<<1, 1024>>>(in, n, bins);
}
