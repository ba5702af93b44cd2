// cause: wrong_stride line 14
// task: bytes
// Each round of the loop counts four elements, but steps forward as if it had counted one, so that elements are counted up to four times once n is larger than the grid.
#include "interface.cuh"

template <int Unroll>
__global__ void unrolled(const unsigned char* __restrict__ in, std::size_t n, unsigned int* __restrict__ bins) {
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();

    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (std::size_t i = first; i < n; i += threads) {
#pragma unroll
        for (int k = 0; k < Unroll; ++k) {
            const std::size_t j = i + k * threads;
            if (j < n) atomicAdd(&local[in[j]], 1u);
        }
    }
    __syncthreads();

    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (local[b] > 0) atomicAdd(&bins[b], local[b]);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    const unsigned int blocks = n / 8192 < 64 ? static_cast<unsigned int>(n / 8192) + 1 : 64;
    unrolled<4><<<blocks, 128>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {}
