// cause: counter_too_narrow line 11
// task: bytes
// A thread's own counters are bytes and are emptied after 256 elements, one too many if all of them are equal.
#include "interface.cuh"

// Every thread has a histogram of its own, so it needs no atomics while it counts.
// 256 bins x 64 threads x 1 byte = 16 KB. The counters are emptied now and then into
// the block's 32-bit totals.
#define THREADS 64
#define BINS 256
#define ROUNDS 256

struct Counters {
    unsigned char c[BINS][THREADS];
};

__device__ void empty(Counters& mine, unsigned int* totals) {
    for (int b = 0; b < BINS; b++) {
        if (mine.c[b][threadIdx.x]) {
            atomicAdd(&totals[b], (unsigned int)mine.c[b][threadIdx.x]);
            mine.c[b][threadIdx.x] = 0;
        }
    }
}

__global__ void histo(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ Counters mine;
    __shared__ unsigned int totals[BINS];

    for (int b = threadIdx.x; b < BINS; b += THREADS) totals[b] = 0;
    for (int b = 0; b < BINS; b++) mine.c[b][threadIdx.x] = 0;
    __syncthreads();

    int rounds = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS) {
        mine.c[in[i]][threadIdx.x]++;
        if (++rounds == ROUNDS) {
            empty(mine, totals);
            rounds = 0;
        }
    }
    empty(mine, totals);
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += THREADS)
        if (totals[b]) atomicAdd(&bins[b], totals[b]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    if (n > 0) histo<<<24, THREADS>>>(in, n, bins);
}

void histogram_bins(const unsigned int*, size_t, unsigned int*, unsigned int) {}
