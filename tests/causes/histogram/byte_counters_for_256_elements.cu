// cause: counter_too_narrow line 8
// task: bytes
// Each thread counts in 8-bit counters of its own, which are emptied after 256 elements; if all 256 are equal, the
// counter has wrapped to 0 and they are lost.
#include "interface.cuh"

#define NTHREADS 64
#define PER_THREAD 256 /* elements that a thread counts before the counters are emptied */
#define CHUNK (NTHREADS * PER_THREAD)

// small[value][thread]: no atomics needed here, each thread has its own column
__global__ void hist_private_bytes(const unsigned char *data, size_t len, unsigned int *bins)
{
    __shared__ unsigned char small[256][NTHREADS];
    __shared__ unsigned int total[256];
    const int t = threadIdx.x;

    for (int v = t; v < 256; v += NTHREADS)
        total[v] = 0;

    for (size_t start = (size_t)blockIdx.x * CHUNK; start < len; start += (size_t)gridDim.x * CHUNK) {
        for (int v = 0; v < 256; v++)
            small[v][t] = 0;

        size_t stop = start + CHUNK;
        if (stop > len)
            stop = len;
        for (size_t i = start + t; i < stop; i += NTHREADS)
            small[data[i]][t]++;
        __syncthreads();

        /* every thread empties four rows */
        for (int v = t; v < 256; v += NTHREADS) {
            unsigned int sum = 0;
            for (int k = 0; k < NTHREADS; k++)
                sum += small[v][(k + t) % NTHREADS];
            total[v] += sum;
        }
        __syncthreads();
    }

    for (int v = t; v < 256; v += NTHREADS)
        if (total[v])
            atomicAdd(bins + v, total[v]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n == 0)
        return;
    size_t blocks = (n + CHUNK - 1) / CHUNK;
    if (blocks > 24)
        blocks = 24;
    hist_private_bytes<<<(unsigned)blocks, NTHREADS>>>(in, n, bins);
}
