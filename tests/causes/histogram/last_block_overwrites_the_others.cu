// cause: blocks_not_combined line 26
// task: bytes
// Each block stores its private counts instead of adding them: with more than one block only the counts of one of them survive.
#include "interface.cuh"

const int PER_THREAD = 16;
const int BLOCK = 256;

__global__ void histogram_kernel(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    __shared__ unsigned int block_bins[256];
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    // this block handles a section of BLOCK * PER_THREAD bytes
    std::size_t base = (std::size_t)blockIdx.x * BLOCK * PER_THREAD;
    for (int k = 0; k < PER_THREAD; ++k)
    {
        std::size_t i = base + (std::size_t)k * BLOCK + threadIdx.x;
        if (i < n)
            atomicAdd(&block_bins[in[i]], 1u);
    }
    __syncthreads();

    // copy the result to global memory
    bins[threadIdx.x] = block_bins[threadIdx.x];
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    const std::size_t section = (std::size_t)BLOCK * PER_THREAD;
    histogram_kernel<<<(unsigned int)((n + section - 1) / section), BLOCK>>>(in, n, bins);
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
