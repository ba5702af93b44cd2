// cause: sign_lost line 115
// task: cubes
// The elements are loaded as unsigned ints and then widened, so negative ones become large positive numbers, except the last up to three.
#include <math.h>

#include "interface.cuh"

#define BLOCK 256
#define MAX_BLOCKS 1024

typedef long long i64;
typedef unsigned long long u64;

/* How many blocks read n elements, and leave as many partial results? At least one. */
static int blocks_for(size_t n)
{
    size_t parts = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    if (parts == 0)
        parts = 1;
    return parts < MAX_BLOCKS ? (int)parts : MAX_BLOCKS;
}

/* ------------------------------------------------------------------ sum */

__device__ void halving(double *s, int threads)
{
    for (int h = threads / 2; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
    }
}

__global__ void sum_blocks(const double *in, size_t n, double *part)
{
    __shared__ double s[BLOCK];
    double x = 0.0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (size_t)gridDim.x * BLOCK)
        x += in[i];
    s[threadIdx.x] = x;
    halving(s, BLOCK);
    if (threadIdx.x == 0)
        part[blockIdx.x] = s[0];
}

__global__ void sum_finish(const double *part, int parts, double *out)
{
    extern __shared__ double d[];
    d[threadIdx.x] = threadIdx.x < parts ? part[threadIdx.x] : 0.0;
    halving(d, blockDim.x);
    if (threadIdx.x == 0)
        *out = d[0];
}

void reduce_sum(const double *in, size_t n, double *out)
{
    static double *part = NULL;
    if (!part)
        cudaMalloc((void **)&part, MAX_BLOCKS * sizeof(double));
    int parts = blocks_for(n);
    int threads = 1;
    while (threads < parts)
        threads *= 2;
    sum_blocks<<<parts, BLOCK>>>(in, n, part);
    sum_finish<<<1, threads, threads * sizeof(double)>>>(part, parts, out);
}

/* ------------------------------------------------------------------ max */

__global__ void max_blocks(const float *in, size_t n, float *part)
{
    __shared__ float s[BLOCK];
    float m = -HUGE_VALF;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (size_t)gridDim.x * BLOCK)
        if (in[i] > m)
            m = in[i];
    s[threadIdx.x] = m;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h && s[threadIdx.x + h] > s[threadIdx.x])
            s[threadIdx.x] = s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = s[0];
}

void reduce_max(const float *in, size_t n, float *out)
{
    static float *part = NULL;
    if (!part)
        cudaMalloc((void **)&part, MAX_BLOCKS * sizeof(float));
    int parts = blocks_for(n);
    max_blocks<<<parts, BLOCK>>>(in, n, part);
    max_blocks<<<1, BLOCK>>>(part, parts, out);
}

/* ---------------------------------------------------------------- cubes */

__device__ u64 cube(i64 x)
{
    return (u64)x * (u64)x * (u64)x;
}

/* Four ints at a time; block 0 takes the up to three that remain. */
__global__ void cubes_kernel(const int *in, size_t n, u64 *out)
{
    __shared__ u64 s[BLOCK];
    size_t quads = n / 4;
    u64 x = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < quads;
         i += (size_t)gridDim.x * BLOCK) {
        uint4 q = ((const uint4 *)in)[i];
        x += cube(q.x) + cube(q.y) + cube(q.z) + cube(q.w);
    }
    if (blockIdx.x == 0 && 4 * quads + threadIdx.x < n)
        x += cube(in[4 * quads + threadIdx.x]);
    s[threadIdx.x] = x;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}

void reduce_cubes(const int *in, size_t n, i64 *out)
{
    cudaMemsetAsync(out, 0, sizeof(i64));
    if (n == 0)
        return;
    cubes_kernel<<<blocks_for(n), BLOCK>>>(in, n, (u64 *)out);
}

/* --------------------------------------------------------------- nested */

__device__ void sum_block(i64 x, i64 *result)
{
    __shared__ i64 s[BLOCK];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = s[0];
}

__global__ void nested_second(const i64 *part, int parts, i64 *out)
{
    i64 x = 0;
    for (int k = threadIdx.x; k < parts; k += BLOCK)
        x += part[k];
    sum_block(x, out);
}

__global__ void nested_first(const int *in, size_t n, i64 *part, i64 *out)
{
    i64 x = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (size_t)gridDim.x * BLOCK)
        x += in[i];
    sum_block(x, part + blockIdx.x);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        nested_second<<<1, BLOCK, 0, cudaStreamTailLaunch>>>(part, gridDim.x, out);
}

void reduce_nested(const int *in, size_t n, i64 *out)
{
    static i64 *part = NULL;
    if (!part)
        cudaMalloc((void **)&part, MAX_BLOCKS * sizeof(i64));
    nested_first<<<blocks_for(n), BLOCK>>>(in, n, part, out);
}
