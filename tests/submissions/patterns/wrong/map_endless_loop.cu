// expect: map=time_limit
// expect-gpu: skip
// report: time_limit 11
// The stride is forgotten in the loop, so i never grows.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    volatile float* out = y;
    while (i < n) out[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic<<<4, 256>>>(x, n, c0, c1, c2, c3, y);
}
