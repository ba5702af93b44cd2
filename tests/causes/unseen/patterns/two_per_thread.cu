// cause: missing_bounds_check line 15 or 18
// task: map
// Each thread handles two elements a block apart, but only the first is compared with n.
#include "interface.cuh"

#define TPB 128

__global__ void map2(float *out, const float *in, size_t n, float4 c)
{
    size_t i = (size_t)blockIdx.x * (2 * TPB) + threadIdx.x;
    if (i >= n)
        return;

    float a = in[i];
    float b = in[i + TPB];

    out[i] = ((c.w * a + c.z) * a + c.y) * a + c.x;
    out[i + TPB] = ((c.w * b + c.z) * b + c.y) * b + c.x;
}

void map_cubic(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    dim3 block(TPB);
    dim3 grid((unsigned int)((n + 2 * TPB - 1) / (2 * TPB)));
    map2<<<grid, block>>>(y, x, n, make_float4(c0, c1, c2, c3));
}
