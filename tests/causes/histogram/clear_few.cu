// cause: uninitialised_shared or elements_ignored line 19
// task: bins
// Only as many private counters are cleared as the block has threads; shows for more than 256 bins.
#include "interface.cuh"

#define BLOCK_SIZE 256
#define NUM_BLOCKS 24
#define SHARED_LIMIT (48 * 1024 / sizeof(unsigned int))

__global__ void zero(unsigned int* bins, unsigned int bin_count) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bin_count) bins[i] = 0;
}

__global__ void hist_shared(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count) {
    extern __shared__ unsigned int s_hist[];
    unsigned int tid = threadIdx.x;

    if (tid < bin_count) s_hist[tid] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * (size_t)BLOCK_SIZE + tid; i < n; i += (size_t)NUM_BLOCKS * BLOCK_SIZE) {
        atomicAdd(&s_hist[in[i]], 1);
    }
    __syncthreads();

    for (unsigned int b = tid; b < bin_count; b += blockDim.x) {
        atomicAdd(&bins[b], s_hist[b]);
    }
}

__global__ void hist_global(const unsigned int* in, size_t n, unsigned int* bins) {
    for (size_t i = blockIdx.x * (size_t)BLOCK_SIZE + threadIdx.x; i < n; i += (size_t)NUM_BLOCKS * BLOCK_SIZE) {
        atomicAdd(&bins[in[i]], 1);
    }
}

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count) {
    zero<<<(bin_count + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(bins, bin_count);
    if (bin_count <= SHARED_LIMIT) {
        size_t bytes = bin_count * sizeof(unsigned int);
        hist_shared<<<NUM_BLOCKS, BLOCK_SIZE, bytes>>>(in, n, bins, bin_count);
    } else {
        hist_global<<<NUM_BLOCKS, BLOCK_SIZE>>>(in, n, bins);
    }
}
