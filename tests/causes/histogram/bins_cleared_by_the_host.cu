// cause: device_pointer_on_host line 39
// task: bins
// The host writes through the device pointer to clear the bins: a segmentation fault in every call.
#include "interface.cuh"

#include <cstdio>

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

__global__ void add_up(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int v = in[i];
    atomicAdd(&bins[v], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // bins holds garbage: set it to zero
    for (unsigned int b = 0; b < bin_count; b++) bins[b] = 0;

    if (n == 0) return;
    int threads = 128;
    size_t blocks = (n + threads - 1) / threads;
    add_up<<<(unsigned int)blocks, threads>>>(in, n, bins);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) fprintf(stderr, "launch failed: %s\n", cudaGetErrorString(err));
}
