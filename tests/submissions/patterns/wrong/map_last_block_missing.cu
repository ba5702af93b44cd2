// expect: map=unwritten_output
// n / 256 blocks, rounded down: the last partial block is never launched, and with n < 256 nothing.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    if (n / 256 > 0) cubic<<<static_cast<unsigned>(n / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
