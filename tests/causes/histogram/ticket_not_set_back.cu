// cause: state_kept_between_calls line 30
// task: bytes
// The last block to finish, found by a ticket in a global variable, adds up the partial histograms. The ticket is never
// set back to 0, so that from the second call on no block is the last one and the bins stay garbage.
#include "interface.cuh"

constexpr int BLOCKS = 10;
constexpr int THREADS = 256;

__device__ unsigned int g_partial[BLOCKS][256];
__device__ unsigned int g_finished = 0;

// One kernel does everything: count, publish, and the last block merges.
__global__ void bytesOnePass(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int local[256];
    __shared__ bool isLast;
    const int t = threadIdx.x;

    local[t] = 0;
    __syncthreads();
    for (std::size_t i = blockIdx.x * THREADS + t; i < n; i += BLOCKS * THREADS) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();

    g_partial[blockIdx.x][t] = local[t];
    __threadfence();
    __syncthreads();
    if (t == 0) {
        unsigned int ticket = atomicAdd(&g_finished, 1u);
        isLast = (ticket == BLOCKS - 1);
    }
    __syncthreads();

    if (isLast) {
        __threadfence();
        unsigned int sum = 0;
        for (int b = 0; b < BLOCKS; b++) {
            sum += ((volatile unsigned int*)g_partial[b])[t];
        }
        bins[t] = sum;
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    bytesOnePass<<<BLOCKS, THREADS>>>(in, n, bins);
}
