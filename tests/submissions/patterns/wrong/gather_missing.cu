// expect: map=accepted gather=function_missing scatter=function_missing
// Only one of the three functions is there: the other two tasks are lost, this one counts.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
