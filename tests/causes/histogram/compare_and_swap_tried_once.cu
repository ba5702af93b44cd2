// cause: no_retry line 31
// task: bins
// atomicCAS is tried once: if another thread changed the counter in between, this count is lost. Shows when several threads meet in one bin.
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

// my own atomic increment
__device__ void increment(unsigned int* counter)
{
    unsigned int old = atomicAdd(counter, 0u);  // read it
    atomicCAS(counter, old, old + 1);           // and replace it, if it is still the same
}

__global__ void zero_bins(unsigned int* bins, unsigned int bin_count)
{
    size_t b = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bin_count) bins[b] = 0;
}

__global__ void fill_bins(const unsigned int* in, size_t n, unsigned int* bins)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) increment(bins + in[i]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    zero_bins<<<(unsigned int)(((size_t)bin_count + 255) / 256), 256>>>(bins, bin_count);
    if (n > 0)
        fill_bins<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, bins);
}
