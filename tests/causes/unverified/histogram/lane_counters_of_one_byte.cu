// cause: counter_too_narrow line 11
// task: bytes
// Each lane counts in counters of one byte, which wrap after 255: wrong as soon as one thread meets the same value 256 times (long inputs of equal or skewed bytes).
#include "interface.cuh"

// One histogram per lane: no two threads ever touch the same counter, so no atomics are needed
// while counting. One warp per block.
#define LANES 32
#define BLOCKS 256

typedef unsigned char counter_t;  // small, so that 256 x 32 of them fit in shared memory

__global__ void hist_lanes(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ counter_t cnt[256][LANES];
    const int lane = threadIdx.x;
    for (int b = 0; b < 256; b++) cnt[b][lane] = 0;

    for (size_t i = (size_t)blockIdx.x * LANES + lane; i < n; i += (size_t)gridDim.x * LANES) {
        cnt[in[i]][lane]++;
    }
    __syncthreads();

    // lane l sums the bins l, l + 32, ...
    for (int b = lane; b < 256; b += LANES) {
        unsigned int sum = 0;
        for (int l = 0; l < LANES; l++) sum += cnt[b][l];
        if (sum != 0) atomicAdd(&bins[b], sum);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    hist_lanes<<<BLOCKS, LANES>>>(in, n, bins);
}

__global__ void bins_shared(const unsigned int* in, size_t n, unsigned int* bins, unsigned int m) {
    extern __shared__ unsigned int priv[];
    for (unsigned int b = threadIdx.x; b < m; b += blockDim.x) priv[b] = 0;
    __syncthreads();
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&priv[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < m; b += blockDim.x)
        if (priv[b] != 0) atomicAdd(&bins[b], priv[b]);
}

__global__ void bins_global(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    if (bin_count <= 12288)
        bins_shared<<<64, 256, bin_count * sizeof(unsigned int)>>>(in, n, bins, bin_count);
    else
        bins_global<<<256, 256>>>(in, n, bins);
}
