// cause: missing_barrier line 27 or 28
// task: bins
// Nothing waits at the end of a pass: with more bins than a window, some threads count the next window while others still flush and clear this one.
#include "interface.cuh"

constexpr unsigned int window = 12288;  // counters in 48 KB

// Goes over the input once for each window of the bins.
__global__ void count_windows(const unsigned int* in, std::size_t n, unsigned int* bins,
                              unsigned int bin_count) {
    __shared__ unsigned int local[window];
    for (unsigned int b = threadIdx.x; b < window; b += blockDim.x) local[b] = 0;
    __syncthreads();

    for (unsigned int low = 0; low < bin_count; low += window) {
        const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
        for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
            const unsigned int b = in[i] - low;  // wraps around if below
            if (b < window) atomicAdd(&local[b], 1u);
        }
        __syncthreads();
        // flush, and leave the window clean
        for (unsigned int b = threadIdx.x; b < window && low + b < bin_count; b += blockDim.x) {
            const unsigned int count = local[b];
            local[b] = 0;
            if (count > 0) atomicAdd(&bins[low + b], count);
        }
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    count_windows<<<16, 512>>>(in, n, bins, bin_count);
}
