// cause: state_kept_between_calls line 51
// task: sum
// The ticket counter of the blocks is not set back by the last block, so from the second call on no block (or the wrong one) takes itself for the last.
#include "interface.cuh"

template <unsigned BLOCK>
__device__ double tree(double (&buf)[BLOCK], double v)
{
    buf[threadIdx.x] = v;
    __syncthreads();
#pragma unroll
    for (unsigned h = BLOCK >> 1; h >= 1; h >>= 1) {
        if (threadIdx.x < h) {
            v += buf[threadIdx.x + h];
            buf[threadIdx.x] = v;
        }
        __syncthreads();
    }
    return v;
}

#define GRID 512
__device__ double g_partial[GRID];
__device__ unsigned g_ticket = 0;

template <unsigned BLOCK>
__global__ void sum_one_launch(const double* in, std::size_t n, double* out)
{
    __shared__ double buf[BLOCK];
    __shared__ bool last;

    double v = 0;
    for (std::size_t i = blockIdx.x * std::size_t(BLOCK) + threadIdx.x; i < n; i += std::size_t(BLOCK) * gridDim.x)
        v += in[i];
    v = tree<BLOCK>(buf, v);

    if (threadIdx.x == 0) {
        g_partial[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(&g_ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();

    if (last) {
        __threadfence();
        v = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
            v += g_partial[i];
        v = tree<BLOCK>(buf, v);
        if (threadIdx.x == 0)
            *out = v;
    }
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    std::size_t b = n / 2048 + 1;
    sum_one_launch<256><<<unsigned(b < GRID ? b : GRID), 256>>>(in, n, out);
}
