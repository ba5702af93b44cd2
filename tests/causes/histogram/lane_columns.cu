// cause: counter_too_narrow line 9
// task: bytes
// Every thread counts in 8 bits of its own, which wrap around as soon as one thread sees 256 equal bytes.
#include "interface.cuh"

#define THREADS 64
#define BINS 256

typedef unsigned char count_t;

/* no atomics in shared memory: each thread has a column to itself; flushed after ROUNDS elements */
#define ROUNDS 1000

__global__ void columns_kernel(const unsigned char *in, size_t n, unsigned int *bins)
{
    extern __shared__ __align__(4) unsigned char raw[];
    count_t *column = (count_t *)raw;
    const unsigned int t = threadIdx.x;
    size_t chunk = (size_t)THREADS * ROUNDS;

    for (size_t base = blockIdx.x * chunk; base < n; base += gridDim.x * chunk) {
        for (int b = 0; b < BINS; ++b)
            column[b * THREADS + t] = 0;
        for (int r = 0; r < ROUNDS; ++r) {
            size_t i = base + (size_t)r * THREADS + t;
            if (i < n)
                column[in[i] * THREADS + t]++;
        }
        __syncthreads();
        for (int b = t; b < BINS; b += THREADS) {
            unsigned int sum = 0;
            for (int k = 0; k < THREADS; ++k)
                sum += column[b * THREADS + (k + t) % THREADS];
            if (sum)
                atomicAdd(&bins[b], sum);
        }
        __syncthreads();
    }
}

void histogram_bytes(const unsigned char *in, size_t n, unsigned int *bins)
{
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    columns_kernel<<<64, THREADS, THREADS * BINS * sizeof(count_t)>>>(in, n, bins);
}
