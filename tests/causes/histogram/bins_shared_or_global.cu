// cause: launch_refused line 50 or 51
// task: bins
// The limit lets private histograms of up to 96 KiB through, but without an opt-in a block gets at most 48 KiB of dynamic shared memory.
#include "interface.cuh"

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

// The bins fit into shared memory: count there, then merge.
__global__ void histSmall(const unsigned int* in, std::size_t n, unsigned int* bins,
                          unsigned int binCount) {
    extern __shared__ unsigned int s[];
    for (unsigned int b = threadIdx.x; b < binCount; b += blockDim.x) {
        s[b] = 0;
    }
    __syncthreads();

    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    while (i < n) {
        atomicAdd(&s[in[i]], 1u);
        i += (std::size_t)gridDim.x * blockDim.x;
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < binCount; b += blockDim.x) {
        if (s[b] != 0) atomicAdd(&bins[b], s[b]);
    }
}

// Too many bins: threads rarely meet, so count in global memory.
__global__ void histLarge(const unsigned int* in, std::size_t n, unsigned int* bins) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    while (i < n) {
        atomicAdd(&bins[in[i]], 1u);
        i += (std::size_t)gridDim.x * blockDim.x;
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    std::size_t bytes = (std::size_t)bin_count * sizeof(unsigned int);
    cudaMemset(bins, 0, bytes);
    if (n == 0) return;

    dim3 block(512);
    dim3 grid((unsigned int)((n + block.x - 1) / block.x));
    if (grid.x > 128) grid.x = 128;

    if (bytes <= 96 * 1024) {
        histSmall<<<grid, block, bytes>>>(in, n, bins, bin_count);
    } else {
        histLarge<<<grid, block>>>(in, n, bins);
    }
}
