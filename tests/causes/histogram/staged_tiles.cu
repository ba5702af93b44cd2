// cause: divergent_barrier line 20 or 22
// task: bins
// The threads of the last, partial tile leave the loop while the others wait at the barrier in it; shows when n is no multiple of the block.
#include "interface.cuh"

#define TPB 128
#define CHUNK 2048

/* Counts values of one range [first, first + CHUNK) of bins. blockIdx.y = range, blockIdx.x = slice of the data. */
__global__ void range_histogram(const unsigned int *in, size_t n, unsigned int *bins, unsigned int bin_count)
{
    __shared__ unsigned int priv[CHUNK];
    __shared__ unsigned int stage[TPB];
    unsigned int first = blockIdx.y * CHUNK;

    for (unsigned int b = threadIdx.x; b < CHUNK; b += blockDim.x)
        priv[b] = 0;
    __syncthreads();

    for (size_t base = (size_t)blockIdx.x * TPB; base < n; base += (size_t)gridDim.x * TPB) {
        size_t i = base + threadIdx.x;
        if (i >= n) break;
        stage[threadIdx.x] = in[i];
        __syncthreads();
        unsigned int left = (n - base < TPB) ? (unsigned int)(n - base) : TPB;
        /* read it the other way round so that neighbours in sorted data do not collide */
        unsigned int j = (threadIdx.x * 37u) % TPB;
        if (j < left) {
            unsigned int v = stage[j];
            if (v >= first && v - first < CHUNK)
                atomicAdd(&priv[v - first], 1u);
        }
        __syncthreads();
    }
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < CHUNK && first + b < bin_count; b += blockDim.x)
        if (priv[b])
            atomicAdd(&bins[first + b], priv[b]);
}

void histogram_bins(const unsigned int *in, size_t n, unsigned int *bins, unsigned int bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0)
        return;
    size_t slices = (n + TPB - 1) / TPB;
    if (slices > 32) slices = 32;
    dim3 grid((unsigned int)slices, (bin_count + CHUNK - 1) / CHUNK);
    range_histogram<<<grid, TPB>>>(in, n, bins, bin_count);
}
