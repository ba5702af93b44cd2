// cause: launch_refused line 60
// task: scatter
// The launch asks for 8 m bytes of dynamic shared memory whatever m is: above m = 6144 (48 KiB) it is refused and all totals stay 0.
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

__global__ void scatterShared(const int *value, const unsigned *target, size_t n, size_t m, unsigned long long *total)
{
    extern __shared__ unsigned long long part[];
    for (size_t t = threadIdx.x; t < m; t += blockDim.x)
        part[t] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&part[target[i]], (unsigned long long)(long long)value[i]);
    __syncthreads();
    for (size_t t = threadIdx.x; t < m; t += blockDim.x)
        atomicAdd(&total[t], part[t]);
}

void scatter_add(const int32_t *value, const uint32_t *target, size_t n, size_t m, int64_t *total)
{
    size_t bytes = m * sizeof(unsigned long long);
    cudaMemset(total, 0, bytes);
    scatterShared<<<100, 256, bytes>>>(value, target, n, m, (unsigned long long *)total);
}
