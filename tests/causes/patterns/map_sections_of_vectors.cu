// cause: misaligned line 32
// task: map
// Each block's section starts at a multiple of ceil(n / blocks), which need not be a multiple of 4, so most float4 loads are misaligned.
#include "interface.cuh"

constexpr int threads = 128;
constexpr std::size_t sections = 64;

struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
};

// one block works on one section of the array, four floats at a time
__global__ void map_section(const float* x, float* y, std::size_t n, std::size_t section, Cubic f) {
    const std::size_t begin = blockIdx.x * section;
    if (begin >= n) return;
    const std::size_t end = min(begin + section, n);
    const std::size_t vectors = (end - begin) / 4;

    const float4* x4 = reinterpret_cast<const float4*>(x + begin);
    float4* y4 = reinterpret_cast<float4*>(y + begin);
    for (std::size_t i = threadIdx.x; i < vectors; i += blockDim.x) {
        float4 v = x4[i];
        y4[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
    // up to three elements that fill no vector
    for (std::size_t i = begin + vectors * 4 + threadIdx.x; i < end; i += blockDim.x) y[i] = f(x[i]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    std::size_t section = (n + sections - 1) / sections;
    map_section<<<sections, threads>>>(x, y, n, section, Cubic{c0, c1, c2, c3});
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
