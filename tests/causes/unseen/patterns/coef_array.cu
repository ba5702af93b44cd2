// cause: host_pointer_in_kernel line 20 or 23
// task: map
// The coefficients' array lies on the stack of the host, and the kernel gets a pointer to it.
#include "interface.cuh"

__device__ float poly(const float* c, float t) {
    float r = c[3];
    for (int k = 2; k >= 0; --k) r = r * t + c[k];
    return r;
}

__global__ void cubicKernel(const float* x, float* y, std::size_t n, const float* coef) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < n) {
        y[i] = poly(coef, x[i]);
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const float coef[4] = {c0, c1, c2, c3};
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    cubicKernel<<<blocks, threads>>>(x, y, n, coef);
}
