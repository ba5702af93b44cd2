// cause: unsigned_index line 30
// task: bytes
// The loop counts a size_t down to begin, and where begin is 0 it never ends by going below it: thread 0 reads in[2^64 - 1] and so on.
#include "interface.cuh"

// Taken over from my C program, where every pthread had its own part of the text.
typedef unsigned char byte;

#define BLOCKS 64
#define THREADS 128

__global__ void count_my_part(const byte *text, size_t n, unsigned int *bins)
{
    __shared__ unsigned int local[256];
    size_t parts = (size_t)BLOCKS * THREADS;
    size_t id = (size_t)blockIdx.x * THREADS + threadIdx.x;
    size_t part = (n + parts - 1) / parts;
    size_t begin = id * part;
    size_t end = begin + part;
    size_t i;

    if (begin > n) begin = n;
    if (end > n) end = n;

    local[threadIdx.x] = 0;
    local[threadIdx.x + THREADS] = 0;
    __syncthreads();

    /* backwards, so that only i has to be kept in a register */
    for (i = end - 1; i >= begin; i--)
        atomicAdd(&local[text[i]], 1u);
    __syncthreads();

    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
    atomicAdd(&bins[threadIdx.x + THREADS], local[threadIdx.x + THREADS]);
}

void histogram_bytes(const unsigned char *in, std::size_t n, unsigned int *bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    count_my_part<<<BLOCKS, THREADS>>>(in, n, bins);
}

void histogram_bins(const unsigned int *in, std::size_t n, unsigned int *bins,
                    unsigned int bin_count)
{
}
