// cause: uninitialised_shared line 45
// task: scatter
// The private totals in shared memory do not start at 0: what happens to lie there is added to every total.
#include "interface.cuh"
#include <cstdio>

using std::size_t;
using std::int32_t;
using std::int64_t;
using std::uint32_t;

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

__global__ void scatterShared(const int *value, const unsigned *target, size_t n, unsigned m, unsigned long long *total)
{
    extern __shared__ unsigned long long part[];

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&part[target[i]], (unsigned long long)(long long)value[i]);
    __syncthreads();

    for (unsigned t = threadIdx.x; t < m; t += blockDim.x)
        atomicAdd(&total[t], part[t]);
}

__global__ void scatterGlobal(const int *value, const unsigned *target, size_t n, unsigned long long *total)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total[target[i]], (unsigned long long)(long long)value[i]);
}

void scatter_add(const int32_t *value, const uint32_t *target, size_t n, size_t m, int64_t *total)
{
    unsigned long long *sum = (unsigned long long *)total;
    cudaMemset(sum, 0, m * sizeof(*sum));
    if (n == 0)
        return;
    if (m * sizeof(*sum) <= 48 * 1024)
        scatterShared<<<64, 256, m * sizeof(*sum)>>>(value, target, n, (unsigned)m, sum);
    else
        scatterGlobal<<<(n + 255) / 256, 256>>>(value, target, n, sum);
}
