// expect: map=accepted
// The powers written out instead of Horner's rule: other roundings, within the same bound. The
// coefficients lie in constant memory.
#include "interface.cuh"

__constant__ float c[4];

__global__ void cubic(const float* x, std::size_t n, float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c[0] + c[1] * x[i] + c[2] * x[i] * x[i] + c[3] * x[i] * x[i] * x[i];
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const float host[4] = {c0, c1, c2, c3};
    cudaMemcpyToSymbol(c, host, sizeof host);
    cubic<<<static_cast<unsigned>((n + 127) / 128), 128>>>(x, n, y);
}
