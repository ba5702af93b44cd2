// cause: array_too_small line 9
// task: bytes
// There is room for four copies of the histogram, but the block of 256 threads has eight warps.
#include "interface.cuh"

// Each warp has its own histogram in shared memory.
#define NUM_BINS 256
#define BLOCK_SIZE 256
#define WARPS 4

__global__ void warpHistogram(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ unsigned int hist[WARPS * NUM_BINS];
    unsigned int* myHist = hist + (threadIdx.x / 32) * NUM_BINS;

    for (int b = threadIdx.x % 32; b < NUM_BINS; b += 32)
        myHist[b] = 0;
    __syncthreads();

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&myHist[in[i]], 1);
    __syncthreads();

    // thread b adds up bin b of all warps
    unsigned int sum = 0;
    for (int w = 0; w < WARPS; w++)
        sum += hist[w * NUM_BINS + threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, NUM_BINS * sizeof(unsigned int));
    size_t numBlocks = (n + BLOCK_SIZE * 32 - 1) / (BLOCK_SIZE * 32);
    if (numBlocks == 0) return;
    if (numBlocks > 50) numBlocks = 50;
    warpHistogram<<<numBlocks, BLOCK_SIZE>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {}
