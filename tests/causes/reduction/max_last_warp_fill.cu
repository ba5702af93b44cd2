// cause: wrong_identity line 33
// task: max
// Lanes without a warp result contribute 0 to the last step, so the maximum of only negative numbers comes out as 0.
#include "interface.cuh"
#include <math_constants.h>

#define FULL 0xffffffff
#define BS 512

static __device__ float warp_max(float m)
{
    m = fmaxf(m, __shfl_xor_sync(FULL, m, 16));
    m = fmaxf(m, __shfl_xor_sync(FULL, m, 8));
    m = fmaxf(m, __shfl_xor_sync(FULL, m, 4));
    m = fmaxf(m, __shfl_xor_sync(FULL, m, 2));
    m = fmaxf(m, __shfl_xor_sync(FULL, m, 1));
    return m;
}

__global__ void max_stage(const float *in, size_t n, float *dst)
{
    __shared__ float part[BS / 32];
    float m = -CUDART_INF_F;
    for (size_t k = (size_t)blockIdx.x * BS + threadIdx.x; k < n; k += (size_t)gridDim.x * BS)
        m = fmaxf(m, in[k]);

    m = warp_max(m);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = m;
    __syncthreads();

    if (threadIdx.x < 32) {
        m = threadIdx.x < BS / 32 ? part[threadIdx.x] : 0.0f;
        m = warp_max(m);
        if (threadIdx.x == 0)
            dst[blockIdx.x] = m;
    }
}

void reduce_max(const float *in, size_t n, float *out)
{
    static float *partial = NULL;
    const int G = 264;
    if (!partial)
        cudaMalloc((void **)&partial, G * sizeof(float));
    // two launches of the same kernel
    max_stage<<<G, BS>>>(in, n, partial);
    max_stage<<<1, BS>>>(partial, G, out);
}
