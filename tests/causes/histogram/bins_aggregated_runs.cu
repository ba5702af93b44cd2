// cause: elements_ignored line 30
// task: bins
// A new run starts with a count of 0, so that the first element of each run of equal values is not counted.
#include "interface.cuh"

#define BLOCK_DIM 256
#define MAX_SHARED_BINS 12288

// Privatised, interleaved, and aggregated: a thread that meets the same value several times in a
// row only counts in a register and adds to the bin when the value changes.
__global__ void histo_aggregated_kernel(const unsigned int* data, size_t length,
                                        unsigned int* histo, unsigned int num_bins) {
    extern __shared__ unsigned int histo_s[];
    for (unsigned int bin = threadIdx.x; bin < num_bins; bin += blockDim.x) {
        histo_s[bin] = 0u;
    }
    __syncthreads();

    unsigned int accumulator = 0;
    unsigned int prev_bin = 0;
    size_t tid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = tid; i < length; i += (size_t)blockDim.x * gridDim.x) {
        unsigned int bin = data[i];
        if (bin == prev_bin) {
            ++accumulator;
        } else {
            if (accumulator > 0) {
                atomicAdd(&histo_s[prev_bin], accumulator);
            }
            accumulator = 0;
            prev_bin = bin;
        }
    }
    if (accumulator > 0) {
        atomicAdd(&histo_s[prev_bin], accumulator);
    }
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < num_bins; bin += blockDim.x) {
        unsigned int count = histo_s[bin];
        if (count > 0) {
            atomicAdd(&histo[bin], count);
        }
    }
}

// for more bins than shared memory holds
__global__ void histo_global_kernel(const unsigned int* data, size_t length, unsigned int* histo) {
    size_t tid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = tid; i < length; i += (size_t)blockDim.x * gridDim.x) {
        atomicAdd(&histo[data[i]], 1u);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;

    size_t blocks = (n + BLOCK_DIM * 16 - 1) / (BLOCK_DIM * 16);
    if (blocks > 264) blocks = 264;

    if (bin_count <= MAX_SHARED_BINS) {
        histo_aggregated_kernel<<<(int)blocks, BLOCK_DIM, bin_count * sizeof(unsigned int)>>>(
            in, n, bins, bin_count);
    } else {
        histo_global_kernel<<<(int)blocks, BLOCK_DIM>>>(in, n, bins);
    }
}
