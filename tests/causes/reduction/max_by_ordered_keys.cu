// cause: converted_not_reinterpreted line 26
// task: max
// The key is converted back to a float as a number instead of taking its bits, so the result is a huge integer for every input.
#include "interface.cuh"

// Idea: map each float to an unsigned key that is ordered as the floats are, take atomicMax of keys,
// map the largest key back at the end.

__device__ unsigned int bestKey;

__device__ unsigned int toKey(float f)
{
    unsigned int bits = __float_as_uint(f);
    if (bits & 0x80000000u)
        return ~bits;               // negative: all bits turned round
    return bits | 0x80000000u;      // positive: above all the negative ones
}

__device__ float fromKey(unsigned int key)
{
    unsigned int bits;
    if (key & 0x80000000u)
        bits = key & 0x7fffffffu;
    else
        bits = ~key;
    return (float)bits;
}

__global__ void initKey()
{
    bestKey = toKey(__int_as_float(0xff800000));   // minus infinity
}

__global__ void maxKeys(const float *in, size_t n)
{
    __shared__ unsigned int blockBest;
    if (threadIdx.x == 0)
        blockBest = 0;
    __syncthreads();

    unsigned int best = 0;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        best = max(best, toKey(in[i]));

    for (int d = 16; d > 0; d /= 2)
        best = max(best, __shfl_down_sync(0xffffffffu, best, d));
    if (threadIdx.x % 32 == 0)
        atomicMax(&blockBest, best);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicMax(&bestKey, blockBest);
}

__global__ void writeResult(float *out)
{
    *out = fromKey(bestKey);
}

void reduce_max(const float *in, std::size_t n, float *out)
{
    size_t blocks = (n + 4095) / 4096;
    if (blocks > 1024)
        blocks = 1024;
    initKey<<<1, 1>>>();
    if (blocks > 0)
        maxKeys<<<blocks, 512>>>(in, n);
    writeResult<<<1, 1>>>(out);
}

void reduce_sum(const double *in, std::size_t n, double *out) {}
void reduce_cubes(const int *in, std::size_t n, long long *out) {}
void reduce_nested(const int *in, std::size_t n, long long *out) {}
