// cause: state_kept_between_calls line 38
// task: max
// The counter of finished blocks wraps around one increment too late, so it is not 0 again when the function is called next.
#include "interface.cuh"

#define THREADS 256
#define MAX_BLOCKS 128

__device__ volatile float partial[MAX_BLOCKS];
__device__ unsigned int finished = 0;

__device__ float minus_infinity() { return __int_as_float(0xff800000); }

// All threads of the block call this; the result is in s[0].
__device__ void block_max(float* s, float mine) {
    int t = threadIdx.x;
    s[t] = mine;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h >>= 1) {
        if (t < h) s[t] = fmaxf(s[t], s[t + h]);
        __syncthreads();
    }
}

__global__ void max_kernel(const float* in, size_t n, float* out) {
    __shared__ float s[THREADS];
    __shared__ bool last;

    float m = minus_infinity();
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        m = fmaxf(m, in[i]);
    block_max(s, m);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        unsigned int ticket = atomicInc(&finished, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();

    // The block that finishes last combines the results of all blocks.
    if (last) {
        __threadfence();
        block_max(s, threadIdx.x < gridDim.x ? partial[threadIdx.x] : minus_infinity());
        if (threadIdx.x == 0) *out = s[0];
    }
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}

void reduce_max(const float* in, std::size_t n, float* out) {
    size_t blocks = (n + THREADS * 8 - 1) / (THREADS * 8);
    if (blocks < 1) blocks = 1;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    max_kernel<<<(unsigned)blocks, THREADS>>>(in, n, out);
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
