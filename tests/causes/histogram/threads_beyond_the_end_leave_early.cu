// cause: divergent_barrier line 31
// task: bins
// Threads beyond the end return before the barriers and the merge: barriers that not all threads reach, and bins that nobody merges, whenever n is not a multiple of 256.
#include "interface.cuh"

constexpr int kWarps = 8;

__global__ void byteHist(const unsigned char* __restrict__ src, std::size_t n, unsigned* dst) {
    __shared__ unsigned h[kWarps][256];
    for (int i = threadIdx.x; i < kWarps * 256; i += blockDim.x) h[i / 256][i % 256] = 0;
    __syncthreads();
    unsigned* mine = h[threadIdx.x / 32];
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(mine + src[i], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += h[w][threadIdx.x];
    if (sum) atomicAdd(dst + threadIdx.x, sum);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    byteHist<<<64, kWarps * 32>>>(in, n, bins);
}

__global__ void few_bins(const unsigned int* in, size_t n, unsigned int* bins,
                         unsigned int bin_count) {
    extern __shared__ unsigned int cache[];
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) cache[b] = 0;
    __syncthreads();
    atomicAdd(&cache[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (cache[b] > 0) atomicAdd(&bins[b], cache[b]);
}

__global__ void many_bins(const unsigned int* in, size_t n, unsigned int* bins) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    if (n == 0) return;
    const unsigned int blocks = (unsigned int)((n + 255) / 256);
    if (bin_count <= 1024)
        few_bins<<<blocks, 256, bin_count * sizeof(unsigned int)>>>(in, n, bins, bin_count);
    else
        many_bins<<<blocks, 256>>>(in, n, bins);
}
