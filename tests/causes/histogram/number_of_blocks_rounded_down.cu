// cause: grid_too_small line 41
// task: bins
// The number of blocks is rounded down, so the n % 512 last elements are not counted unless n is below 512.
#include "interface.cuh"

// private histogram per block, 256 threads = 256 bins
__global__ void bytes_kernel(const unsigned char* data, size_t len, unsigned int* result)
{
    __shared__ unsigned int tmp[256];
    tmp[threadIdx.x] = 0;
    __syncthreads();

    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < len;
         k += (size_t)blockDim.x * gridDim.x)
        atomicAdd(&tmp[data[k]], 1u);
    __syncthreads();

    atomicAdd(&result[threadIdx.x], tmp[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    bytes_kernel<<<120, 256>>>(in, n, bins);
}

// one thread for each element
__global__ void bins_kernel(const unsigned int* values, size_t len, unsigned int* result)
{
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < len)
        atomicAdd(&result[values[k]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));

    const unsigned int threads = 512;
    unsigned int blocks = (unsigned int)(n / threads);
    if (blocks == 0)
        blocks = 1;  // a grid of 0 blocks is not allowed
    bins_kernel<<<blocks, threads>>>(in, n, bins);
}
