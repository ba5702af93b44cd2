// cause: counter_too_narrow line 12
// task: bytes
// Each lane counts in bytes of its own, which wrap around as soon as one lane meets a value more than 255 times.
#include "interface.cuh"

// One warp per block; each lane has 256 counters of its own, a column of the table below. No two
// lanes ever share a counter, so there is no need for atomics while counting.
#define LANES 32
#define BINS 256
#define BLOCKS 24

typedef unsigned char counter_t;

__global__ void count_in_columns(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ counter_t table[BINS][LANES];
    const int lane = threadIdx.x;

    for (int b = 0; b < BINS; b++) table[b][lane] = 0;

    size_t stride = (size_t)gridDim.x * LANES;
    for (size_t i = (size_t)blockIdx.x * LANES + lane; i < n; i += stride) {
        table[in[i]][lane]++;
    }
    __syncthreads();

    // lane adds up the rows lane, lane + 32, ...
    for (int b = lane; b < BINS; b += LANES) {
        unsigned int sum = 0;
        for (int k = 0; k < LANES; k++) sum += table[b][(k + lane) % LANES];
        if (sum != 0) atomicAdd(&bins[b], sum);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, BINS * sizeof(unsigned int));
    count_in_columns<<<BLOCKS, LANES>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
