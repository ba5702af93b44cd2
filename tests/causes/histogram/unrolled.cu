// cause: tail_ignored line 12 or 22
// task: bins
// The loop is unrolled four times and has no loop for the rest; shows unless n is a multiple of four times the grid's threads.
#include "interface.cuh"

__global__ void histKernel(const unsigned int* __restrict__ data, size_t n, unsigned int* hist)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    // four loads in flight for each thread
    for (; i + 3 * stride < n; i += 4 * stride)
    {
        unsigned int a = data[i];
        unsigned int b = data[i + stride];
        unsigned int c = data[i + 2 * stride];
        unsigned int d = data[i + 3 * stride];
        atomicAdd(&hist[a], 1);
        atomicAdd(&hist[b], 1);
        atomicAdd(&hist[c], 1);
        atomicAdd(&hist[d], 1);
    }
}

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    dim3 block(64);
    dim3 grid(40);
    histKernel<<<grid, block>>>(in, n, bins);
}
