// cause: wrong_element line 27
// task: map
// The last elements are taken from index n/4 instead of 4 * (n/4), so that they stay unwritten if n is no multiple of 4.
#include "interface.cuh"

struct Curve {
    float c0, c1, c2, c3;

    __device__ float operator()(float t) const { return fmaf(fmaf(fmaf(c3, t, c2), t, c1), t, c0); }

    __device__ float4 operator()(float4 t) const {
        return make_float4((*this)(t.x), (*this)(t.y), (*this)(t.z), (*this)(t.w));
    }
};

template <class F>
__global__ void transform(const float* __restrict__ x, float* __restrict__ y, size_t n, F f) {
    const size_t n4 = n / 4;
    const size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (id < n4) {
        reinterpret_cast<float4*>(y)[id] = f(reinterpret_cast<const float4*>(x)[id]);
    }

    // up to three elements do not fill a vector
    if (id < n % 4) {
        const size_t j = n4 + id;
        y[j] = f(x[j]);
    }
}

void map_cubic(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y) {
    const size_t work = n / 4 + 1;
    transform<<<(work + 127) / 128, 128>>>(x, y, n, Curve{c0, c1, c2, c3});
}
