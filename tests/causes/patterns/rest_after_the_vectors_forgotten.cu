// cause: tail_ignored line 25 or 26
// task: map
// Four elements per load and store, but the last one to three elements of an n that is no multiple of four are never written.
#include "interface.cuh"

struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
};

static __global__ void cubic_vec4(const float* x, std::size_t n, Cubic f, float* y) {
    const std::size_t vectors = n / 4;
    const std::size_t first = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);

    for (std::size_t v = first; v < vectors; v += step) {
        float4 a = x4[v];
        a.x = f(a.x);
        a.y = f(a.y);
        a.z = f(a.z);
        a.w = f(a.w);
        y4[v] = a;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    std::size_t blocks = n / (4 * 256) + 1;
    if (blocks > 2048) blocks = 2048;
    cubic_vec4<<<(unsigned)blocks, 256>>>(x, n, Cubic{c0, c1, c2, c3}, y);
}
