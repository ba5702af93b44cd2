// cause: tail_ignored line 36
// task: bins
// The number of passes over ranges of 8192 bins is rounded down, so the last, partial range is never counted.
#include "interface.cuh"

#define RANGE   8192u     /* bins that a block keeps in shared memory, 32 KB */
#define THREADS 1024
#define BLOCKS  8

/* Counts the values in [first, first + RANGE). The others are left for another pass. */
__global__ void count_range(const unsigned int *in, size_t n, unsigned int *bins,
                            unsigned int first, unsigned int bin_count)
{
    __shared__ unsigned int s[RANGE];
    unsigned int width = min(RANGE, bin_count - first);

    for (unsigned int b = threadIdx.x; b < width; b += THREADS)
        s[b] = 0;
    __syncthreads();

    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS) {
        unsigned int v = in[i];
        if (v >= first && v - first < width)
            atomicAdd(&s[v - first], 1u);
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < width; b += THREADS)
        if (s[b])
            atomicAdd(&bins[first + b], s[b]);
}

void histogram_bins(const unsigned int *in, size_t n, unsigned int *bins, unsigned int bin_count)
{
    unsigned int passes = bin_count / RANGE;

    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    for (unsigned int p = 0; p < passes; p++)
        count_range<<<BLOCKS, THREADS>>>(in, n, bins, p * RANGE, bin_count);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
