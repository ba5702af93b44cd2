// cause: size_in_elements line 62
// task: bins
// the third launch parameter is the number of counters and not their bytes, so that three quarters of the private bins lie behind the shared memory asked for
#include "interface.cuh"

#include <algorithm>

// Any number of bins: in shared memory where they fit, else in global memory.

#define CUDA_LOOP(i, n)                                                        \
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;  \
         i < (n); i += (std::size_t)gridDim.x * blockDim.x)

const unsigned int SHARED_BINS = 12288;   // 48 KB of counters
const unsigned int BLOCK_DIM   = 256;

__global__ void histo_global(const unsigned int* data, std::size_t n, unsigned int* bins) {
    CUDA_LOOP(i, n) atomicAdd(bins + data[i], 1u);
}

__global__ void histo_private(const unsigned int* data, std::size_t n,
                              unsigned int* bins, unsigned int num_bins) {
    extern __shared__ unsigned int histo_s[];

    // Clear
    for (unsigned int b = threadIdx.x; b < num_bins; b += blockDim.x)
        histo_s[b] = 0;
    __syncthreads();

    // Count; runs of equal values are counted in a register first
    unsigned int run = 0, last = 0;
    CUDA_LOOP(i, n) {
        const unsigned int v = data[i];
        if (run > 0 && v != last) {
            atomicAdd(&histo_s[last], run);
            run = 0;
        }
        last = v;
        ++run;
    }
    if (run > 0) atomicAdd(&histo_s[last], run);
    __syncthreads();

    // Merge
    for (unsigned int b = threadIdx.x; b < num_bins; b += blockDim.x) {
        const unsigned int count = histo_s[b];
        if (count > 0) atomicAdd(&bins[b], count);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;

    // a merge costs as much as bin_count elements, so give each block some more
    const std::size_t per_block = std::max<std::size_t>(4 * BLOCK_DIM, 2 * std::size_t(bin_count));
    const unsigned int blocks =
        (unsigned int)std::min<std::size_t>((n + per_block - 1) / per_block, 264);

    if (bin_count <= SHARED_BINS) {
        histo_private<<<blocks, BLOCK_DIM, bin_count>>>(in, n, bins, bin_count);
    } else {
        histo_global<<<1024, BLOCK_DIM>>>(in, n, bins);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
