// cause: transposed line 34
// task: gather
// The index array is read as 4 rows of n instead of n rows of 4: every cell gets the neighbours of other cells as soon as n > 1 and the indices differ.
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

__global__ void gatherKernel(const float *value, const uint32_t *neighbour, size_t n, float *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += value[neighbour[k * n + i]];   // coalesced
    out[i] = sum;
}

void gather_sum(const float *value, size_t m, const uint32_t *neighbour, size_t n, float *out)
{
    int threads = 256;
    gatherKernel<<<(n + threads - 1) / threads, threads>>>(value, neighbour, n, out);
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
