// cause: not_a_power_of_two line 62
// task: sum
// The last tree has one thread per partial sum and halves that number, which drops partial sums unless it is a power of two.
#include <math.h>

#include "interface.cuh"

#define THREADS 256
#define PARTS_MAX 1024

typedef long long i64;
typedef unsigned long long u64;

/* How many blocks read n elements, and leave as many partial results? At least one. */
static int parts_of(size_t n)
{
    size_t parts = (n + 2 * THREADS - 1) / (2 * THREADS);
    if (parts == 0)
        parts = 1;
    return parts < PARTS_MAX ? (int)parts : PARTS_MAX;
}

/* ------------------------------------------------------------------ sum */

__device__ void add_tree(double *s, int threads)
{
    for (int h = threads / 2; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
    }
}

__global__ void sum_parts(const double *in, size_t n, double *part)
{
    __shared__ double s[THREADS];
    double x = 0.0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        x += in[i];
    s[threadIdx.x] = x;
    add_tree(s, THREADS);
    if (threadIdx.x == 0)
        part[blockIdx.x] = s[0];
}

__global__ void sum_finish(const double *part, int parts, double *out)
{
    extern __shared__ double d[];
    d[threadIdx.x] = threadIdx.x < parts ? part[threadIdx.x] : 0.0;
    add_tree(d, blockDim.x);
    if (threadIdx.x == 0)
        *out = d[0];
}

void reduce_sum(const double *in, size_t n, double *out)
{
    static double *part = NULL;
    if (!part)
        cudaMalloc((void **)&part, PARTS_MAX * sizeof(double));
    int parts = parts_of(n);
    int threads = parts;
    sum_parts<<<parts, THREADS>>>(in, n, part);
    sum_finish<<<1, threads, threads * sizeof(double)>>>(part, parts, out);
}

/* ------------------------------------------------------------------ max */

__global__ void max_parts(const float *in, size_t n, float *part)
{
    __shared__ float s[THREADS];
    float m = -HUGE_VALF;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        if (in[i] > m)
            m = in[i];
    s[threadIdx.x] = m;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h >>= 1) {
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
        cudaMalloc((void **)&part, PARTS_MAX * sizeof(float));
    int parts = parts_of(n);
    max_parts<<<parts, THREADS>>>(in, n, part);
    max_parts<<<1, THREADS>>>(part, parts, out);
}

/* ---------------------------------------------------------------- cubes */

__device__ u64 cube(i64 x)
{
    return (u64)x * (u64)x * (u64)x;
}

/* Four ints at a time; block 0 takes the up to three that remain. */
__global__ void cubes_kernel(const int *in, size_t n, u64 *out)
{
    __shared__ u64 s[THREADS];
    const int4 *in4 = (const int4 *)in;
    size_t quads = n / 4;
    u64 x = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < quads;
         i += (size_t)gridDim.x * THREADS) {
        int4 q = in4[i];
        x += cube(q.x) + cube(q.y) + cube(q.z) + cube(q.w);
    }
    if (blockIdx.x == 0 && 4 * quads + threadIdx.x < n)
        x += cube(in[4 * quads + threadIdx.x]);
    s[threadIdx.x] = x;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h >>= 1) {
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
    cubes_kernel<<<parts_of(n), THREADS>>>(in, n, (u64 *)out);
}

/* --------------------------------------------------------------- nested */

__device__ void block_total(i64 x, i64 *result)
{
    __shared__ i64 s[THREADS];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h >>= 1) {
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = s[0];
}

__global__ void nested_finish(const i64 *part, int parts, i64 *out)
{
    i64 x = 0;
    for (int k = threadIdx.x; k < parts; k += THREADS)
        x += part[k];
    block_total(x, out);
}

__global__ void nested_start(const int *in, size_t n, i64 *part, i64 *out)
{
    i64 x = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        x += in[i];
    block_total(x, part + blockIdx.x);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        nested_finish<<<1, THREADS, 0, cudaStreamTailLaunch>>>(part, gridDim.x, out);
}

void reduce_nested(const int *in, size_t n, i64 *out)
{
    static i64 *part = NULL;
    if (!part)
        cudaMalloc((void **)&part, PARTS_MAX * sizeof(i64));
    nested_start<<<parts_of(n), THREADS>>>(in, n, part, out);
}
