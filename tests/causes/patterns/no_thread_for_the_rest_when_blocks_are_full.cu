// cause: grid_too_small or tail_ignored line 38
// task: map
// the thread behind the last float4 does the rest, and there is none where n / 4 is a multiple of 256
#include "interface.cuh"
#include <algorithm>

#define THREADS 256

__device__ __forceinline__ float poly(float x, float4 c)
{
    return c.x + x * (c.y + x * (c.z + x * c.w));
}

// Thread i: elements 4i ... 4i+3 with one load and one store.
// The thread after the last full group does the 0-3 elements that remain.
__global__ void cubic_vec4(const float *__restrict__ x, size_t n, float4 c, float *__restrict__ y)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n4 = n / 4;

    if (i < n4) {
        float4 v = ((const float4 *)x)[i];
        v.x = poly(v.x, c);
        v.y = poly(v.y, c);
        v.z = poly(v.z, c);
        v.w = poly(v.w, c);
        ((float4 *)y)[i] = v;
    } else if (i == n4) {
        for (size_t j = 4 * n4; j < n; ++j)
            y[j] = poly(x[j], c);
    }
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    const size_t n4 = n / 4;
    // at least one block: n may be 1, 2 or 3
    const size_t blocks = std::max<size_t>(1, (n4 + THREADS - 1) / THREADS);
    cubic_vec4<<<(unsigned)blocks, THREADS>>>(x, n, make_float4(c0, c1, c2, c3), y);
}

void gather_sum(const float * /*value*/, std::size_t /*m*/, const std::uint32_t * /*neighbour*/,
                std::size_t /*n*/, float * /*out*/)
{
    // later
}

void scatter_add(const std::int32_t * /*value*/, const std::uint32_t * /*target*/,
                 std::size_t /*n*/, std::size_t /*m*/, std::int64_t * /*total*/)
{
    // later
}
