// cause: size_in_elements line 26
// task: bytes
// cudaMemset gets the number of bins instead of bytes, so only the first 64 bins are cleared; the others keep the garbage that was there on entry.
#include "interface.cuh"

__global__ void hist(const unsigned char *buffer, size_t size, unsigned int *histo)
{
    // one private histogram for each block (CUDA by Example)
    __shared__ unsigned int temp[256];
    temp[threadIdx.x] = 0;
    __syncthreads();

    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    size_t offset = (size_t)blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&temp[buffer[i]], 1);
        i += offset;
    }
    __syncthreads();
    atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

void histogram_bytes(const unsigned char *in, std::size_t n, unsigned int *bins)
{
    const int NUM_BINS = 256;
    cudaMemset(bins, 0, NUM_BINS);
    hist<<<64, NUM_BINS>>>(in, n, bins);
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
