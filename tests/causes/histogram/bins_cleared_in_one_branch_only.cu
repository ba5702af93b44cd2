// cause: uninitialised_output line 49
// task: bins
// The bins are cleared only in the branch for many bins; with 12288 bins or fewer the counts are added to the garbage that was there.
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

__global__ void histo_private(const unsigned int* in, size_t n, unsigned int* bins, unsigned int m)
{
    extern __shared__ unsigned int pb[];
    for (unsigned int j = threadIdx.x; j < m; j += blockDim.x) pb[j] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(pb + in[i], 1u);
    __syncthreads();
    for (unsigned int j = threadIdx.x; j < m; j += blockDim.x) atomicAdd(bins + j, pb[j]);
}

__global__ void histo_global(const unsigned int* in, size_t n, unsigned int* bins)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    if (bin_count <= 12288) {
        // everything fits in shared memory
        size_t bytes = bin_count * sizeof(unsigned int);
        histo_private<<<32, 512, bytes>>>(in, n, bins, bin_count);
    } else {
        cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
        if (n > 0)
            histo_global<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, bins);
    }
}
