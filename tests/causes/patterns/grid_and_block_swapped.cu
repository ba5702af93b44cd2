// cause: launch_swapped line 26
// task: map
// Grid and block are swapped in the launch: up to 1024 * 128 elements it works by luck, above that the block has more than 1024 threads and nothing is launched.
#include "interface.cuh"
#include <cstdio>

using std::size_t;
using std::int32_t;
using std::int64_t;
using std::uint32_t;

__global__ void mapKernel(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    size_t idx = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n)
    {
        float t = x[idx];
        y[idx] = c0 + t * (c1 + t * (c2 + t * c3));
    }
}

void map_cubic(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    const int threadsPerBlock = 128;
    const int blocksPerGrid = (int)((n + threadsPerBlock - 1) / threadsPerBlock);
    mapKernel<<<threadsPerBlock, blocksPerGrid>>>(x, n, c0, c1, c2, c3, y);
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
