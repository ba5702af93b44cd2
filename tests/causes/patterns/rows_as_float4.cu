// cause: converted_not_reinterpreted line 19
// task: gather
// The rows of indices are loaded as float4, and the bits of a component are then converted like a float, so that nearly every index becomes 0.
#include "interface.cuh"

// Vector load of any 16 bytes, as in my map kernel: one ld.global.v4 per lane.
template <int bytes>
struct Vector;

template <>
struct Vector<16> {
    float4 v;
    __device__ __forceinline__ explicit Vector(const void* address)
        : v(__ldg(static_cast<const float4*>(address))) {}

    template <typename T>
    __device__ __forceinline__ T get(int k) const {
        const float word = k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
        return static_cast<T>(word);
    }
};

template <int unroll>
__global__ void __launch_bounds__(256)
    gather_rows(const float* __restrict__ value, const std::uint32_t* __restrict__ neighbour,
                std::size_t n, float* __restrict__ out) {
    const std::size_t block_first = std::size_t{blockIdx.x} * (256 * unroll);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
        const std::size_t i = block_first + u * 256 + threadIdx.x;
        if (i >= n) return;
        const Vector<16> row(neighbour + 4 * i);
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 4; ++k) sum += __ldg(value + row.get<std::uint32_t>(k));
        out[i] = sum;
    }
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    constexpr int unroll = 2;
    constexpr std::size_t rows = 256 * unroll;
    gather_rows<unroll><<<static_cast<unsigned>((n + rows - 1) / rows), 256>>>(value, neighbour, n, out);
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
