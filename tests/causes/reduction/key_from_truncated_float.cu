// cause: converted_not_reinterpreted line 11
// task: max
// The key for atomicMax is made by a cast, which rounds the float to a whole number, where the float's bits are meant; the way back takes the key for bits.
#include "interface.cuh"

#include <math_constants.h>

// Floats in the order of their ints: positive floats already are, negative ones the other way round.
__device__ int toKey(float f)
{
    int b = (int)f;
    return b >= 0 ? b : b ^ 0x7fffffff;
}

__device__ float fromKey(int k)
{
    return __int_as_float(k >= 0 ? k : k ^ 0x7fffffff);
}

__global__ void start(int *key)
{
    *key = toKey(-CUDART_INF_F);
}

__global__ void search(const float *in, size_t n, int *key)
{
    const size_t all = (size_t)gridDim.x * blockDim.x;
    float best = -CUDART_INF_F;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        best = fmaxf(best, in[i]);

    int k = toKey(best);
    for (int lane = 16; lane; lane /= 2)
        k = max(k, __shfl_xor_sync(0xffffffff, k, lane));

    // eight warps: the first thread of each one leaves its key
    __shared__ int ks[8];
    if (threadIdx.x % 32 == 0)
        ks[threadIdx.x / 32] = k;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            k = max(k, ks[w]);
        atomicMax(key, k);
    }
}

__global__ void finish(float *out)
{
    *out = fromKey(__float_as_int(*out));
}

void reduce_max(const float *in, std::size_t n, float *out)
{
    start<<<1, 1>>>((int *)out);
    size_t grid = n / 4096 + 1;
    if (grid > 800) grid = 800;
    search<<<(unsigned)grid, 256>>>(in, n, (int *)out);
    finish<<<1, 1>>>(out);
}
