// cause: missing_barrier line 25 or 28
// task: bytes
// The merge begins without waiting for the threads of the block that still count.
#include "interface.cuh"

#define BINS 256
#define THREADS 256
#define BLOCKS 60

// one private histogram per block, added to the global one at the end
__global__ void histo_kernel(const unsigned char* buffer, size_t size, unsigned int* histo)
{
    __shared__ unsigned int temp[BINS];

    // clear
    temp[threadIdx.x] = 0;
    __syncthreads();

    // count
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    size_t offset = (size_t)blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&temp[buffer[i]], 1);
        i += offset;
    }

    // add to the global histogram
    atomicAdd(&histo[threadIdx.x], temp[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    if (n == 0)
        return;
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > BLOCKS)
        blocks = BLOCKS;
    histo_kernel<<<blocks, THREADS>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {}
