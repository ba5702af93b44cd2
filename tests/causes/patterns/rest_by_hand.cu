// cause: device_pointer_on_host line 29 or 28
// task: map
// The elements that do not fill a float4 are read and written by host code through device pointers; shows when n is no multiple of 4.
#include "interface.cuh"

struct Cubic {
    float c0, c1, c2, c3;
    __host__ __device__ float operator()(float x) const { return ((c3 * x + c2) * x + c1) * x + c0; }
};

__global__ void map4(const float4* x, float4* y, size_t n4, Cubic f)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = x[i];
        y[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
}

void map_cubic(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y)
{
    Cubic f = {c0, c1, c2, c3};
    size_t n4 = n / 4;
    if (n4 > 0)
        map4<<<(unsigned)((n4 + 255) / 256), 256>>>((const float4*)x, (float4*)y, n4, f);

    // at most three are left
    for (size_t i = 4 * n4; i < n; i++)
        y[i] = f(x[i]);
}
