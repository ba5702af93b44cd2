// cause: integer_overflow line 18
// task: cubes
// The square is computed as an int and widened only afterwards: wrong for elements beyond 46340.
#include "interface.cuh"

#define THREADS 128

/* one block: sum of the cubes of its elements, tree with strided index */
__global__ void cubes(const int *in, size_t n, long long *partial)
{
    __shared__ long long s[THREADS];
    int t = threadIdx.x;
    long long acc = 0;
    size_t i;

    for (i = (size_t)blockIdx.x * THREADS + t; i < n; i += (size_t)gridDim.x * THREADS) {
        int x = in[i];
        acc += (long long)(x * x) * x;
    }
    s[t] = acc;
    __syncthreads();

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

/* one block adds up what the others left */
__global__ void total(const long long *partial, int count, long long *out)
{
    __shared__ long long s[THREADS];
    int t = threadIdx.x;
    long long acc = 0;

    for (int i = t; i < count; i += THREADS)
        acc += partial[i];
    s[t] = acc;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

#define BLOCKS 512
__device__ long long partial_sums[BLOCKS];

void reduce_cubes(const int *in, size_t n, long long *out)
{
    long long *partial;
    cudaGetSymbolAddress((void **)&partial, partial_sums);
    int blocks = (int)((n + THREADS - 1) / THREADS);
    if (blocks < 1) blocks = 1;
    if (blocks > BLOCKS) blocks = BLOCKS;
    cubes<<<blocks, THREADS>>>(in, n, partial);
    total<<<1, THREADS>>>(partial, blocks, out);
}

void reduce_sum(const double *, std::size_t, double *) {}
void reduce_max(const float *, std::size_t, float *) {}
void reduce_nested(const int *, std::size_t, long long *) {}
