// cause: missing_bounds_check line 20 or 21
// task: map
// Each thread has two elements, a block's width apart, and only the first of them is compared with n.
#include "interface.cuh"

namespace {

constexpr unsigned BLOCK = 128;

// two elements per thread: more loads in flight
template <unsigned B>
__global__ void polynomial(const float* __restrict__ x, float* __restrict__ y, std::size_t n,
                           float4 c) {
    const std::size_t a = std::size_t(2 * B) * blockIdx.x + threadIdx.x;
    const std::size_t b = a + B;
    if (a >= n) return;
    const float xa = x[a];
    y[a] = fmaf(fmaf(fmaf(c.w, xa, c.z), xa, c.y), xa, c.x);

    const float xb = x[b];
    y[b] = fmaf(fmaf(fmaf(c.w, xb, c.z), xb, c.y), xb, c.x);
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    polynomial<BLOCK><<<unsigned(blocks), BLOCK>>>(x, y, n, make_float4(c0, c1, c2, c3));
}
