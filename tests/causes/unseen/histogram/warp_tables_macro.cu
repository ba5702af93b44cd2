// cause: array_too_small line 7
// task: bytes
// There are tables for 4 warps, but a block has 8, so the upper warps count beyond the end of the shared array.
#include "interface.cuh"

#define BLOCK  256
#define WARPS  4
#define GRID   10

/* one table per warp; the row is padded so that equal values of two warps use two banks */
__global__ void hist256(const unsigned char *src, size_t n, unsigned int *bins)
{
    __shared__ unsigned int tab[WARPS][257];
    unsigned int wid = threadIdx.x >> 5;
    unsigned int *flat = &tab[0][0];
    size_t pos;
    int k;

    for (k = threadIdx.x; k < WARPS * 257; k += BLOCK)
        flat[k] = 0;
    __syncthreads();

    pos = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    while (pos < n) {
        atomicAdd(&tab[wid][src[pos]], 1);
        pos += (size_t)GRID * BLOCK;
    }
    __syncthreads();

    unsigned int sum = 0;
    for (k = 0; k < WARPS; k++)
        sum += tab[k][threadIdx.x];
    if (sum != 0)
        atomicAdd(&bins[threadIdx.x], sum);
}

void histogram_bytes(const unsigned char *in, size_t n, unsigned int *bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    hist256<<<GRID, BLOCK>>>(in, n, bins);
}
