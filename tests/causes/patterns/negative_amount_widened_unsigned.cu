// cause: sign_lost? line 12
// task: scatter
// A negative amount becomes a 32-bit unsigned before it is widened to 64 bits: each negative amount makes its total too large by 2^32.
#include "interface.cuh"
#include <cstdio>

using std::size_t;
using std::int32_t;
using std::int64_t;
using std::uint32_t;

__device__ void add64(int64_t *where, uint32_t what)
{
    // atomicAdd has only the unsigned long long version, two's complement does the rest
    atomicAdd((unsigned long long *)where, (unsigned long long)what);
}

__global__ void scatterKernel(const int32_t *value, const uint32_t *target, size_t n, int64_t *total)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        add64(&total[target[i]], value[i]);
}

void scatter_add(const int32_t *value, const uint32_t *target, size_t n, size_t m, int64_t *total)
{
    cudaMemset(total, 0, m * sizeof(int64_t));
    if (n > 0)
        scatterKernel<<<(n + 255) / 256, 256>>>(value, target, n, total);
}

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

__global__ void gatherKernel(const float *value, const uint4 *rows, size_t n, float *out)
{
    size_t cell = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < n)
    {
        uint4 r = rows[cell];
        out[cell] = value[r.x] + value[r.y] + value[r.z] + value[r.w];
    }
}

void gather_sum(const float *value, size_t m, const uint32_t *neighbour, size_t n, float *out)
{
    int threads = 128;
    gatherKernel<<<(n + threads - 1) / threads, threads>>>(value, (const uint4 *)neighbour, n, out);
}
