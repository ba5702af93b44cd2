// cause: state_kept_between_calls line 46 or 58
// task: max
// The ticket counter for the block that finishes last is never set back to 0, so from the second call on no block (or a wrong one) writes the result.
#include "interface.cuh"

#include <math_constants.h>

#define BLOCKS_MAX 480

__device__ unsigned int ticket = 0;
__device__ float blockBest[BLOCKS_MAX];

template <unsigned N>
__device__ void tree(float* s)
{
    const unsigned t = threadIdx.x;
    if (N >= 256) { if (t < 128) s[t] = fmaxf(s[t], s[t + 128]); __syncthreads(); }
    if (N >= 128) { if (t < 64) s[t] = fmaxf(s[t], s[t + 64]); __syncthreads(); }
    if (t < 32) {
        float v = fmaxf(s[t], s[t + 32]);
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, 16));
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, 8));
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, 4));
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, 2));
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, 1));
        if (t == 0) s[0] = v;
    }
    __syncthreads();
}

__global__ void maxOnePass(const float* in, size_t n, float* out)
{
    __shared__ float s[256];
    __shared__ bool last;

    float m = -CUDART_INF_F;
    for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < n; i += gridDim.x * (size_t)256)
        m = fmaxf(m, in[i]);
    s[threadIdx.x] = m;
    __syncthreads();
    tree<256>(s);

    if (threadIdx.x == 0) {
        blockBest[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();

    if (last) {
        __threadfence();
        m = -CUDART_INF_F;
        for (int b = threadIdx.x; b < gridDim.x; b += 256)
            m = fmaxf(m, ((volatile float*)blockBest)[b]);
        s[threadIdx.x] = m;
        __syncthreads();
        tree<256>(s);
        if (threadIdx.x == 0) *out = s[0];
    }
}

void reduce_max(const float* in, size_t n, float* out)
{
    size_t b = (n + 2047) / 2048;
    if (b < 1) b = 1;
    if (b > BLOCKS_MAX) b = BLOCKS_MAX;
    maxOnePass<<<(unsigned)b, 256>>>(in, n, out);
}
