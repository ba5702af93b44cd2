// cause: grid_too_small line 20
// task: map
// The division of two integers has rounded down before ceil sees it: the last, partial block is not launched.
#include "interface.cuh"
#include <cmath>

__global__ void cubicKernel(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
    {
        float t = x[i];
        y[i] = c0 + t * (c1 + t * (c2 + t * c3));   // Horner
    }
}

void map_cubic(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y)
{
    int threads = 256;
    int blocks = (int)std::ceil(n / threads);
    if (blocks == 0) blocks = 1;
    cubicKernel<<<blocks, threads>>>(x, n, c0, c1, c2, c3, y);
}
