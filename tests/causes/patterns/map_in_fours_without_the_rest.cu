// cause: tail_ignored line 33 or 34
// task: map
// Only whole groups of four are mapped: the last n % 4 outputs are never written.

#include "interface.cuh"

// A generic "apply f to every float" with wide loads; map_cubic hands it a functor.

#define BLOCK_SIZE 128
#define UNROLL 2

template <typename F>
__device__ __forceinline__ float4 apply(const F& f, float4 v) {
    return make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

template <typename F>
__global__ void transform(const float* __restrict__ src, float* __restrict__ dst, size_t n, F f) {
    const float4* s4 = (const float4*)src;
    float4* d4 = (float4*)dst;
    const size_t fours = n / 4;

    // each block does UNROLL * BLOCK_SIZE groups, so two loads are on their way at a time
    size_t g = (size_t)blockIdx.x * (BLOCK_SIZE * UNROLL) + threadIdx.x;

    float4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (g + u * BLOCK_SIZE < fours) v[u] = s4[g + u * BLOCK_SIZE];

#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (g + u * BLOCK_SIZE < fours) d4[g + u * BLOCK_SIZE] = apply(f, v[u]);
}

struct Cubic {
    float a, b, c, d;
    __device__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(d, x, c), x, b), x, a);
    }
};

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    // one group = 4 floats; round up
    const size_t per_block = 4 * BLOCK_SIZE * UNROLL;
    const unsigned blocks = (unsigned)((n + per_block - 1) / per_block);
    transform<<<blocks, BLOCK_SIZE>>>(x, y, n, Cubic{c0, c1, c2, c3});
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
