// cause: host_pointer_in_kernel line 28 or 11
// task: map
// the coefficients sit in an array on the host's stack and the kernel gets its address: it shows in every case
#include "interface.cuh"
#include <cuda_runtime.h>

#define BLOCK 128

// Horner's rule
__global__ void poly_kernel(const float *x, size_t n, const float *c, float *y)
{
    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float xi = x[i];
    float r = c[3];
    r = r * xi + c[2];
    r = r * xi + c[1];
    r = r * xi + c[0];
    y[i] = r;
}

void map_cubic(const float *x, size_t n, float c0, float c1, float c2, float c3, float *y)
{
    float coeffs[4] = { c0, c1, c2, c3 };
    size_t grid = (n + BLOCK - 1) / BLOCK;

    poly_kernel<<<(unsigned)grid, BLOCK>>>(x, n, coeffs, y);
}
