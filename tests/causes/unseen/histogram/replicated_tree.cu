// cause: not_a_power_of_two line 21
// task: bins
// The copies are added up by halving their number, which drops a copy when it is 3, 5, 6 or 7, as with 4096 bins.
#include "interface.cuh"

// As many copies of the histogram as 48 KB hold (at most 8); warp w counts in copy w % copies.
__global__ void replicated(const unsigned int *in, size_t n, unsigned int *bins,
                           unsigned int bin_count, int copies)
{
    extern __shared__ unsigned int smem[];
    for (unsigned int j = threadIdx.x; j < bin_count * copies; j += blockDim.x)
        smem[j] = 0;
    __syncthreads();

    unsigned int *own = smem + (threadIdx.x / 32 % copies) * bin_count;
    size_t total = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += total)
        atomicAdd(&own[in[i]], 1);
    __syncthreads();

    for (int half = copies / 2; half > 0; half /= 2) {
        for (unsigned int j = threadIdx.x; j < half * bin_count; j += blockDim.x)
            smem[j] += smem[j + half * bin_count];
        __syncthreads();
    }

    for (unsigned int j = threadIdx.x; j < bin_count; j += blockDim.x)
        atomicAdd(&bins[j], smem[j]);
}

__global__ void direct(const unsigned int *in, size_t n, unsigned int *bins)
{
    size_t total = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += total)
        atomicAdd(&bins[in[i]], 1);
}

void histogram_bins(const unsigned int *in, size_t n, unsigned int *bins, unsigned int bin_count)
{
    const size_t bytes = bin_count * sizeof(unsigned int);
    int copies = (int)(48 * 1024 / bytes);
    if (copies > 8)
        copies = 8;

    cudaMemset(bins, 0, bytes);
    if (copies == 0)
        direct<<<128, 256>>>(in, n, bins);
    else
        replicated<<<10, 256, bytes * copies>>>(in, n, bins, bin_count, copies);
}
