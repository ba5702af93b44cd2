// cause: tail_ignored line 21 or 22
// task: map
// Only whole groups of four are computed; the last n % 4 elements are never written when n is no multiple of 4.
#include "interface.cuh"

struct Curve {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
};

// four elements with each load and store
__global__ void map4(const float* x, std::size_t n, Curve f, float* y) {
    const std::size_t stride = (std::size_t)gridDim.x * blockDim.x;
    const std::size_t first = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);

    for (std::size_t i = first; i < n / 4; i += stride) {
        const float4 v = x4[i];
        y4[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const int threads = 256;
    std::size_t blocks = n / 4 / threads + 1;
    if (blocks > 4096) blocks = 4096;
    map4<<<(unsigned)blocks, threads>>>(x, n, Curve{c0, c1, c2, c3}, y);
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
