// cause: uninitialised_shared line 15
// task: bytes
// A block has 128 threads and clears only bins 0 to 127 of its private histogram; the others start with garbage.
#include "interface.cuh"

#define NUM_BINS 256
#define BLOCK_SIZE 128
#define NUM_BLOCKS 60

__global__ void histo_kernel(const unsigned char *buffer, size_t size, unsigned int *histo)
{
    __shared__ unsigned int histo_private[NUM_BINS];

    // clear the private bins
    histo_private[threadIdx.x] = 0;
    __syncthreads();

    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    // stride is the total number of threads
    size_t stride = (size_t)blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&histo_private[buffer[i]], 1);
        i += stride;
    }

    // wait for all other threads of the block to finish
    __syncthreads();
    atomicAdd(&histo[threadIdx.x], histo_private[threadIdx.x]);
    atomicAdd(&histo[threadIdx.x + BLOCK_SIZE], histo_private[threadIdx.x + BLOCK_SIZE]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, NUM_BINS * sizeof(unsigned int));
    histo_kernel<<<NUM_BLOCKS, BLOCK_SIZE>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
