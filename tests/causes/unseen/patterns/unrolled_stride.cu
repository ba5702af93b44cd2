// cause: wrong_stride or elements_ignored line 22
// task: map
// The stride counts floats, but the index counts vectors of four, so that three quarters of the later vectors are skipped when the grid has to go round again.
#include <cstdint>

#include "interface.cuh"

namespace lab1 {

__device__ __forceinline__ float cubic(float v, float a, float b, float c, float d) {
    return a + v * (b + v * (c + v * d));
}

__global__ void map_kernel(const float* __restrict__ x, float* __restrict__ y, std::uint64_t n,
                           float a, float b, float c, float d) {
    constexpr int N = 4;
    const std::uint64_t rank = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::uint64_t threads = std::uint64_t(gridDim.x) * blockDim.x;

    const auto* xv = reinterpret_cast<const float4*>(x);
    auto* yv = reinterpret_cast<float4*>(y);
    for (std::uint64_t v = rank; v < n / N; v += threads * N) {
        float4 q = xv[v];
        q.x = cubic(q.x, a, b, c, d);
        q.y = cubic(q.y, a, b, c, d);
        q.z = cubic(q.z, a, b, c, d);
        q.w = cubic(q.w, a, b, c, d);
        yv[v] = q;
    }
    for (std::uint64_t i = n / N * N + rank; i < n; i += threads) y[i] = cubic(x[i], a, b, c, d);
}

}  // namespace lab1

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    lab1::map_kernel<<<16, 256>>>(x, y, n, c0, c1, c2, c3);
}
