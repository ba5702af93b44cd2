// expect: bins=wrong_answer
// Only as many bins as fit in shared memory are counted; larger values are dropped without a
// word.
#include "interface.cuh"

constexpr unsigned int kFits = 12288;

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* bins,
                      unsigned int size) {
    __shared__ unsigned int mine[kFits];
    const unsigned int counted = size < kFits ? size : kFits;
    for (unsigned int b = threadIdx.x; b < counted; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        if (in[i] < counted) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < counted; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    cudaMemset(bins, 0, size * sizeof *bins);
    count<<<16, 512>>>(in, n, bins, size);
}
