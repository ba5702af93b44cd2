// cause: divergent_barrier line 13 or 15
// task: bins
// In the last round threads beyond n have left the loop and do not reach the two barriers in it, unless n is a multiple of the block size.
#include "interface.cuh"

template <unsigned Threads>
__global__ void run_heads(const unsigned int* __restrict__ data, std::size_t n, unsigned int* hist)
{
    __shared__ unsigned int tile[Threads];
    const unsigned t = threadIdx.x;
    const std::size_t step = std::size_t(Threads) * gridDim.x;

    for (std::size_t i = std::size_t(Threads) * blockIdx.x + t; i < n; i += step) {
        tile[t] = data[i];
        __syncthreads();

        // the first element of a run adds the length of the whole run
        if (t == 0 || tile[t - 1] != tile[t]) {
            unsigned len = 1;
            while (t + len < Threads && i + len < n && tile[t + len] == tile[t])
                ++len;
            atomicAdd(hist + tile[t], len);
        }
        __syncthreads();
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count)
{
    cudaMemsetAsync(bins, 0, std::size_t(bin_count) * sizeof(unsigned int));
    if (n == 0) return;
    std::size_t grid = (n + 255) / 256;
    if (grid > 264) grid = 264;
    run_heads<256><<<unsigned(grid), 256>>>(in, n, bins);
}
