// cause: divergent_barrier line 34
// task: gather
// Threads beyond n return before __syncthreads() and before they have staged their share of the indices: the last block misses the barrier and reads unwritten shared memory when n is not a multiple of 128.
#include "interface.cuh"
#include <cstdio>

using std::size_t;
using std::int32_t;
using std::int64_t;
using std::uint32_t;

__global__ void mapKernel(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    {
        float t = x[i];
        y[i] = c0 + t * (c1 + t * (c2 + t * c3));
    }
}

void map_cubic(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    mapKernel<<<1024, 128>>>(x, n, c0, c1, c2, c3, y);
}

#define B 128

__global__ void gatherStaged(const float *value, const uint32_t *neighbour, size_t n, float *out)
{
    __shared__ uint32_t idx[4 * B];
    size_t base = (size_t)blockIdx.x * B;
    size_t i = base + threadIdx.x;
    if (i >= n) return;

    // 4 coalesced loads
    for (int k = 0; k < 4; k++)
    {
        int j = k * B + threadIdx.x;
        if (4 * base + j < 4 * n)
            idx[j] = neighbour[4 * base + j];
    }
    __syncthreads();

    float s = 0;
    for (int k = 0; k < 4; k++)
        s += value[idx[4 * threadIdx.x + k]];
    out[i] = s;
}

void gather_sum(const float *value, size_t m, const uint32_t *neighbour, size_t n, float *out)
{
    gatherStaged<<<(n + B - 1) / B, B>>>(value, neighbour, n, out);
}

__global__ void scatterKernel(const int *value, const unsigned *target, size_t n, unsigned long long *total)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&total[target[i]], (unsigned long long)(long long)value[i]);
}

void scatter_add(const int32_t *value, const uint32_t *target, size_t n, size_t m, int64_t *total)
{
    cudaMemset(total, 0, m * sizeof(*total));
    scatterKernel<<<256, 256>>>(value, target, n, (unsigned long long *)total);
}
