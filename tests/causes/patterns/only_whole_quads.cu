// cause: tail_ignored line 40
// task: map
// the last n % 4 elements, which fill no float4, are not written
#include "interface.cuh"

// c0 + c1 x + c2 x^2 + c3 x^3 by Horner's rule, for one value and for four of them
struct Cubic {
    float c0, c1, c2, c3;

    __device__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);
    }
    __device__ float4 operator()(float4 v) const {
        return make_float4((*this)(v.x), (*this)(v.y), (*this)(v.z), (*this)(v.w));
    }
};

// y[i] = f(x[i]) for i < n, whatever the elements are.
template <class Element, class Function>
__global__ void transform(const Element* x, std::size_t n, Function f, Element* y) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step)
        y[i] = f(x[i]);
}

template <class Element, class Function>
void launch_transform(const Element* x, std::size_t n, Function f, Element* y) {
    if (n == 0) return;
    constexpr unsigned threads = 256, most = 2048;
    const std::size_t needed = (n + threads - 1) / threads;
    const unsigned blocks = needed < most ? static_cast<unsigned>(needed) : most;
    transform<<<blocks, threads>>>(x, n, f, y);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const Cubic cubic{c0, c1, c2, c3};
    // 16 bytes per load: x and y are aligned for it
    const std::size_t quads = n / 4;
    launch_transform(reinterpret_cast<const float4*>(x), quads, cubic, reinterpret_cast<float4*>(y));
}
