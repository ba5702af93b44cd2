// cause: tail_ignored line 32
// task: bins
// The number of passes is rounded down, so the bins beyond the last full range stay 0 unless bin_count is below or a multiple of 8192.
#include "interface.cuh"

constexpr unsigned WIDTH = 8192;   // bins per pass, 32 KB

__global__ void onePass(const unsigned* in, size_t n, unsigned* bins, unsigned first, unsigned last)
{
    __shared__ unsigned local[WIDTH];
    const unsigned width = last - first;
    for (unsigned b = threadIdx.x; b < width; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
        const unsigned v = in[i];
        if (v >= first && v < last)
            atomicAdd(&local[v - first], 1u);
    }
    __syncthreads();

    for (unsigned b = threadIdx.x; b < width; b += blockDim.x)
        if (local[b] != 0)
            atomicAdd(&bins[first + b], local[b]);
}

void histogram_bins(const unsigned* in, size_t n, unsigned* bins, unsigned bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned));

    unsigned passes = bin_count < WIDTH ? 1 : bin_count / WIDTH;
    for (unsigned p = 0; p < passes; ++p) {
        unsigned first = p * WIDTH;
        unsigned last = first + WIDTH < bin_count ? first + WIDTH : bin_count;
        onePass<<<66, 512>>>(in, n, bins, first, last);
    }
}
