// cause: host_pointer_in_kernel line 40 or 54
// task: map
// The functor is copied to the device with a pointer to an array on the host's stack, and the kernel follows it.
#include "interface.cuh"

#include <cstdint>

namespace lab {

// y = f(x) for every element, with any functor f. Four elements per thread where possible.
template <class F>
__global__ void transform4(const float4* x, std::size_t quads, float4* y, F f) {
    const std::size_t q = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (q >= quads) return;
    const float4 v = x[q];
    y[q] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

template <class F>
__global__ void transform1(const float* x, std::size_t count, float* y, F f) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) y[i] = f(x[i]);
}

template <class F>
void transform(const float* x, std::size_t n, float* y, F f) {
    constexpr unsigned threads = 256;
    const std::size_t quads = n / 4, rest = n % 4;
    if (quads > 0) {
        const unsigned blocks = unsigned((quads + threads - 1) / threads);
        transform4<<<blocks, threads>>>(reinterpret_cast<const float4*>(x), quads,
                                        reinterpret_cast<float4*>(y), f);
    }
    if (rest > 0) transform1<<<1, 4>>>(x + 4 * quads, rest, y + 4 * quads, f);
}

// A polynomial by Horner's rule, coefficients in rising order.
template <int Degree>
struct Horner {
    const float* c;

    __device__ float operator()(float x) const {
        float y = c[Degree];
#pragma unroll
        for (int k = Degree - 1; k >= 0; --k) y = fmaf(y, x, c[k]);
        return y;
    }
};

}  // namespace lab

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const float coefficients[] = {c0, c1, c2, c3};
    lab::transform(x, n, y, lab::Horner<3>{coefficients});
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {
    // TODO
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {
    // TODO
}
