// cause: uninitialised_shared line 14
// task: bins
// Each thread clears at most one counter, so that with more bins than threads in a block the rest of the private copy holds garbage.
#include "interface.cuh"

#define THREADS 512
#define MAX_LOCAL 12288u

__global__ void binsShared(const unsigned int* in, size_t n, unsigned int* bins, unsigned int binCount)
{
    extern __shared__ unsigned int priv[];

    // phase 1: clear
    if (threadIdx.x < binCount) priv[threadIdx.x] = 0;
    __syncthreads();

    // phase 2: count
    size_t i = threadIdx.x + blockIdx.x * (size_t)THREADS;
    while (i < n) {
        atomicAdd(&priv[in[i]], 1u);
        i += (size_t)THREADS * gridDim.x;
    }
    __syncthreads();

    // phase 3: merge
    for (unsigned int b = threadIdx.x; b < binCount; b += THREADS)
        atomicAdd(&bins[b], priv[b]);
}

__global__ void binsGlobal(const unsigned int* in, size_t n, unsigned int* bins)
{
    size_t i = threadIdx.x + blockIdx.x * (size_t)THREADS;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    if (bin_count <= MAX_LOCAL)
        binsShared<<<24, THREADS, bin_count * sizeof(unsigned int)>>>(in, n, bins, bin_count);
    else
        binsGlobal<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, n, bins);
}
