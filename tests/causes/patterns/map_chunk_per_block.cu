// cause: misaligned line 32
// task: map
// The chunk of a block need not be a multiple of four floats, so the float4 of later blocks begin at odd addresses.
#include "interface.cuh"

// y = c0 + c1 x + c2 x^2 + c3 x^3, by Horner's rule
struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
};

// Each block has a chunk of consecutive elements and goes through it four by four.
__global__ void map_chunks(const float* x, std::size_t n, std::size_t chunk, Cubic f, float* y) {
    const std::size_t begin = blockIdx.x * chunk;
    if (begin >= n) return;
    const std::size_t end = begin + chunk < n ? begin + chunk : n;

    const float4* x4 = reinterpret_cast<const float4*>(x + begin);
    float4* y4 = reinterpret_cast<float4*>(y + begin);
    const std::size_t quads = (end - begin) / 4;
    for (std::size_t q = threadIdx.x; q < quads; q += blockDim.x) {
        const float4 v = x4[q];
        y4[q] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
    // up to three left over
    for (std::size_t i = begin + quads * 4 + threadIdx.x; i < end; i += blockDim.x) y[i] = f(x[i]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    constexpr unsigned blocks = 528;
    // rounded up, so that all elements are covered
    const std::size_t chunk = (n + blocks - 1) / blocks;
    map_chunks<<<blocks, 256>>>(x, n, chunk, Cubic{c0, c1, c2, c3}, y);
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {}
