// expect: map=accepted
// Four elements per load and store; the tail of n mod 4 elements goes one by one.
#include "interface.cuh"

__device__ float cubic(float x, float4 c) { return c.x + x * (c.y + x * (c.z + x * c.w)); }

__global__ void cubic4(const float4* x, std::size_t n, float4 c, float4* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        const float4 v = x[i];
        y[i] = make_float4(cubic(v.x, c), cubic(v.y, c), cubic(v.z, c), cubic(v.w, c));
    } else {
        const float* in = reinterpret_cast<const float*>(x);
        float* out = reinterpret_cast<float*>(y);
        for (std::size_t k = 4 * i; k < n; ++k) out[k] = cubic(in[k], c);
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic4<<<static_cast<unsigned>((n / 4 + 256) / 256), 256>>>(reinterpret_cast<const float4*>(x),
                                                                n, make_float4(c0, c1, c2, c3),
                                                                reinterpret_cast<float4*>(y));
}
