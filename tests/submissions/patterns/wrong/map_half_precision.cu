// expect: map=wrong_answer
// Computes in half precision: three digits instead of seven.
#include "interface.cuh"

#include <cuda_fp16.h>

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const __half v = __float2half(x[i]);
    __half p = __hfma(__float2half(c3), v, __float2half(c2));
    p = __hfma(p, v, __float2half(c1));
    y[i] = __half2float(__hfma(p, v, __float2half(c0)));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
