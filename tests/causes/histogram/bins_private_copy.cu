// cause: uninitialised_shared line 16
// task: bins
// Each thread clears one counter of the private copy, so with more bins than threads (256) the others start with whatever is in shared memory.
#include "interface.cuh"

const unsigned int SHARED_BINS = 4096;
const int THREADS = 256;

// Few bins: every block counts in shared memory.
__global__ void few_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                         unsigned int bin_count) {
    __shared__ unsigned int private_bins[SHARED_BINS];
    const unsigned int tid = threadIdx.x;

    // set the private histogram to zero
    if (tid < bin_count) private_bins[tid] = 0;
    __syncthreads();

    // count
    std::size_t i = tid + (std::size_t)blockIdx.x * THREADS;
    while (i < n) {
        atomicAdd(&private_bins[in[i]], 1u);
        i += (std::size_t)gridDim.x * THREADS;
    }
    __syncthreads();

    // add the private histogram to the one of all blocks
    for (unsigned int b = tid; b < bin_count; b += THREADS) atomicAdd(&bins[b], private_bins[b]);
}

// Many bins: threads seldom meet in one bin, so count in global memory.
__global__ void many_bins(const unsigned int* in, std::size_t n, unsigned int* bins) {
    std::size_t i = threadIdx.x + (std::size_t)blockIdx.x * THREADS;
    while (i < n) {
        atomicAdd(&bins[in[i]], 1u);
        i += (std::size_t)gridDim.x * THREADS;
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    unsigned int blocks = n < 16384 ? 4 : 128;
    if (bin_count <= SHARED_BINS)
        few_bins<<<blocks, THREADS>>>(in, n, bins, bin_count);
    else
        many_bins<<<blocks, THREADS>>>(in, n, bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
