// expect: bytes=accepted
// Privatised in shared memory, but each thread reads a contiguous section of the block's part:
// the atomics are cheap and the reads are not coalesced.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t section = (n + threads - 1) / threads;
    const std::size_t begin = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * section;
    for (std::size_t i = begin; i < begin + section && i < n; ++i) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<20, 256>>>(in, n, bins);
}
