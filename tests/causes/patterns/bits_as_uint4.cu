// cause: converted_not_reinterpreted line 7 or 25
// task: map
// Bit patterns loaded as uint4 are converted from integer to float instead of being reinterpreted; results are right in the tail only.
#include "interface.cuh"
#include <cuda_runtime.h>

#define AS_FLOAT(u) ((float)(u))
#define CUBIC(t) (c0 + (t) * (c1 + (t) * (c2 + (t) * c3)))

// 16-byte loads, past the L1 cache
__device__ static uint4 load_stream(const uint4 *p)
{
    return __ldcs(p);
}

__global__ void cubic_wide(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    const size_t groups = n >> 2;
    const size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t count = (size_t)gridDim.x * blockDim.x;

    for (size_t g = id; g < groups; g += count) {
        const uint4 u = load_stream((const uint4 *)x + g);
        float4 r;
        r.x = CUBIC(AS_FLOAT(u.x));
        r.y = CUBIC(AS_FLOAT(u.y));
        r.z = CUBIC(AS_FLOAT(u.z));
        r.w = CUBIC(AS_FLOAT(u.w));
        ((float4 *)y)[g] = r;
    }
    if (id < (n & 3)) {
        const float t = x[(groups << 2) + id];
        y[(groups << 2) + id] = CUBIC(t);
    }
}

void map_cubic(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    size_t blocks = (n / 4) / 256 + 1;
    if (blocks > 4096) blocks = 4096;
    cubic_wide<<<(int)blocks, 256>>>(x, n, c0, c1, c2, c3, y);
}
