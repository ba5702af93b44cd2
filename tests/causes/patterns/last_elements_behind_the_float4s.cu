// cause: tail_ignored line 53 or 52
// task: map
// Elements are taken four at a time and nobody takes the last n % 4: these stay unwritten whenever n is no multiple of 4.
#include "interface.cuh"

// A generic "transform": a functor over a vector type, each thread with several loads under way.

namespace detail {

constexpr unsigned threads = 256;
constexpr unsigned unroll = 4;

/// Horner's scheme with fused multiply-adds, for one float or four.
struct Cubic {
    float c0, c1, c2, c3;

    __device__ float operator()(float x) const { return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0); }
    __device__ float4 operator()(float4 v) const {
        return make_float4((*this)(v.x), (*this)(v.y), (*this)(v.z), (*this)(v.w));
    }
};

template <class V, class F>
__global__ void __launch_bounds__(threads)
    transform_kernel(const V* __restrict__ in, std::size_t count, V* __restrict__ out, F f) {
    const std::size_t base = static_cast<std::size_t>(blockIdx.x) * threads * unroll + threadIdx.x;

    if (base + (unroll - 1) * threads < count) {
        // a full block of work: all loads first, then all stores
        V v[unroll];
#pragma unroll
        for (unsigned u = 0; u < unroll; ++u) v[u] = in[base + u * threads];
#pragma unroll
        for (unsigned u = 0; u < unroll; ++u) out[base + u * threads] = f(v[u]);
    } else {
        for (unsigned u = 0; u < unroll; ++u) {
            const std::size_t i = base + u * threads;
            if (i < count) out[i] = f(in[i]);
        }
    }
}

template <class V, class F> void launch(const V* in, std::size_t count, V* out, F f) {
    if (count == 0) return;
    const std::size_t per_block = std::size_t{threads} * unroll;
    const unsigned blocks = static_cast<unsigned>((count + per_block - 1) / per_block);
    transform_kernel<V, F><<<blocks, threads>>>(in, count, out, f);
}

/// out[i] = f(in[i]); both pointers are aligned to 16 bytes.
template <class F> void transform(const float* in, std::size_t n, float* out, F f) {
    const std::size_t quads = n / 4;
    launch(reinterpret_cast<const float4*>(in), quads, reinterpret_cast<float4*>(out), f);
}

}  // namespace detail

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    detail::transform(x, n, y, detail::Cubic{c0, c1, c2, c3});
}
