// cause: missing_fence line 23
// task: bytes
// A block takes its ticket without a __threadfence() after storing its partial counts, so the last block may add up counts that have not arrived yet.
#include "interface.cuh"

// No global atomics for the counts: each block leaves its counts in `partial`, and the block that
// finishes last adds them up.
#define NBLOCKS 64
__device__ unsigned int partial[NBLOCKS * 256];
__device__ unsigned int tickets = 0;

__global__ void hist_last_block(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int s[256];
    __shared__ bool last;
    const int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * 256 + t; i < n; i += (size_t)NBLOCKS * 256)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();

    volatile unsigned int* p = partial;
    p[blockIdx.x * 256 + t] = s[t];
    __syncthreads();
    if (t == 0) last = (atomicAdd(&tickets, 1u) == NBLOCKS - 1);
    __syncthreads();

    if (last) {
        __threadfence();
        unsigned int sum = 0;
        for (int b = 0; b < NBLOCKS; b++) sum += p[b * 256 + t];
        bins[t] = sum;
        if (t == 0) tickets = 0;  // for the next call
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    hist_last_block<<<NBLOCKS, 256>>>(in, n, bins);
}

__global__ void count_values(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n > 0) count_values<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, bins);
}
