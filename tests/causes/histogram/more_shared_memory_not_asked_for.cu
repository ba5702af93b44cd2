// cause: launch_refused line 49 or 9
// task: bins
// Up to 200 KB of dynamic shared memory are used, but the kernel never asks for more than 48 KB
// (cudaFuncSetAttribute): the launch is refused and the bins stay empty.
#include "interface.cuh"

namespace {

constexpr std::size_t kSharedBytes = 200 * 1024;

__global__ void countInShared(const unsigned* in, std::size_t n, unsigned* bins, unsigned m) {
    extern __shared__ unsigned block_bins[];
    const unsigned t = threadIdx.x;

    // 1. clear
    for (unsigned b = t; b < m; b += blockDim.x) {
        block_bins[b] = 0;
    }
    __syncthreads();

    // 2. count
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + t; i < n;
         i += gridDim.x * std::size_t(blockDim.x)) {
        atomicAdd(&block_bins[in[i]], 1u);
    }
    __syncthreads();

    // 3. merge
    for (unsigned b = t; b < m; b += blockDim.x) {
        if (block_bins[b] != 0) atomicAdd(&bins[b], block_bins[b]);
    }
}

__global__ void countInGlobal(const unsigned* in, std::size_t n, unsigned* bins) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += gridDim.x * std::size_t(blockDim.x)) {
        atomicAdd(&bins[in[i]], 1u);
    }
}

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    const std::size_t bytes = bin_count * sizeof(unsigned);
    cudaMemset(bins, 0, bytes);

    if (bytes <= kSharedBytes) {
        countInShared<<<24, 1024, bytes>>>(in, n, bins, bin_count);
    } else {
        countInGlobal<<<240, 256>>>(in, n, bins);
    }
}
