// cause: tail_ignored line 22 or 28
// task: map
// only whole groups of four are computed: the last n % 4 elements stay unwritten when n is no multiple of 4
#include "interface.cuh"

namespace calib {

struct Curve {
    float c0, c1, c2, c3;
    __device__ __forceinline__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);
    }
};

template <typename F>
__global__ void transform4(const float4* __restrict__ src, float4* __restrict__ dst, std::size_t quads, F f) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t q = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; q < quads; q += step) {
        const float4 v = src[q];
        dst[q] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
}

}  // namespace calib

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    constexpr unsigned kThreads = 256;
    const std::size_t quads = n / 4;
    std::size_t blocks = (quads + kThreads - 1) / kThreads;
    if (blocks > 2048) blocks = 2048;
    if (blocks == 0) blocks = 1;
    calib::Curve curve{c0, c1, c2, c3};
    calib::transform4<<<unsigned(blocks), kThreads>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), quads, curve);
}
