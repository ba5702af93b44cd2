// cause: uninitialised_output or missing_barrier line 17 or 18 or 39
// task: bins
// The kernel clears the bins itself, each block its share, and __syncthreads holds back the own block only: another block
// adds to bins that are not cleared yet, or its counts are cleared afterwards.
#include "interface.cuh"

#define MAX_PRIVATE 8192u

__global__ void hist_kernel(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count)
{
    __shared__ unsigned int cache[MAX_PRIVATE];
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int nthreads = gridDim.x * blockDim.x;
    bool fits = bin_count <= MAX_PRIVATE;

    // phase 1: clear
    for (unsigned int b = tid; b < bin_count; b += nthreads)
        bins[b] = 0;
    if (fits)
        for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
            cache[b] = 0;
    __syncthreads();

    // phase 2: count (in the cache if we can)
    unsigned int* target = fits ? cache : bins;
    for (size_t i = tid; i < n; i += nthreads)
        atomicAdd(target + in[i], 1u);
    __syncthreads();

    // phase 3: merge
    if (fits)
        for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
            if (cache[b] != 0)
                atomicAdd(bins + b, cache[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count)
{
    hist_kernel<<<16, 256>>>(in, n, bins, bin_count);
}
