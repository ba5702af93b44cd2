// cause: array_too_small line 8 or 7
// task: bytes
// There are 16 warps in a block but only 8 private histograms, so that warps 8 to 15 write beyond the array in every non-empty case.
#include "interface.cuh"

#define BINS 256
#define THREADS 512
#define WARPS 8

__global__ void zero_kernel(unsigned int* bins)
{
    bins[threadIdx.x] = 0;
}

__global__ void hist_kernel(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ unsigned int h[WARPS][BINS];

    // clear
    for (int k = threadIdx.x; k < WARPS * BINS; k += blockDim.x)
        h[k / BINS][k % BINS] = 0;
    __syncthreads();

    // count, every warp on its own copy
    int warp = threadIdx.x / 32;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&h[warp][in[i]], 1u);
    __syncthreads();

    // merge
    if (threadIdx.x < BINS) {
        unsigned int sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += h[w][threadIdx.x];
        if (sum > 0)
            atomicAdd(&bins[threadIdx.x], sum);
    }
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    zero_kernel<<<1, BINS>>>(bins);
    if (n == 0) return;
    size_t blocks = n / (THREADS * 16) + 1;
    if (blocks > 64) blocks = 64;
    hist_kernel<<<(int)blocks, THREADS>>>(in, n, bins);
}
