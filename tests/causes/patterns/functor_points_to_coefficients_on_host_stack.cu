// cause: host_pointer_in_kernel line 11 or 54
// task: map
// the functor is copied to the kernel, but it holds only a pointer to the coefficients, which lie in an array on the host's stack; in every case
#include "interface.cuh"

// A general "transform" like that of the STL, and the calibration curve as a
// function object for it.

template <int DEGREE>
struct Polynomial {
    const float* coefficient;      // lowest power first

    __device__ float operator()(float x) const {
        // Horner's scheme
        float y = coefficient[DEGREE];
        for (int k = DEGREE - 1; k >= 0; --k) y = y * x + coefficient[k];
        return y;
    }
};

template <class Function>
__device__ float4 apply4(const Function& f, float4 v) {
    v.x = f(v.x);
    v.y = f(v.y);
    v.z = f(v.z);
    v.w = f(v.w);
    return v;
}

template <class Function>
__global__ void transform(const float* x, std::size_t n, float* y, Function f) {
    const std::size_t quads = n / 4;
    const std::size_t id = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;

    if (id < quads) {
        // x and y are aligned to 16 bytes
        const float4 four = reinterpret_cast<const float4*>(x)[id];
        reinterpret_cast<float4*>(y)[id] = apply4(f, four);
    } else if (id == quads) {
        // up to three are left over
        for (std::size_t i = 4 * quads; i < n; ++i) y[i] = f(x[i]);
    }
}

template <class Function>
void transform_on_gpu(const float* x, std::size_t n, float* y, Function f) {
    const unsigned threads = 256;
    const std::size_t wanted = n / 4 + 1;    // one thread for the rest
    transform<<<static_cast<unsigned>((wanted + threads - 1) / threads), threads>>>(x, n, y, f);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const float c[4] = {c0, c1, c2, c3};
    transform_on_gpu(x, n, y, Polynomial<3>{c});
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
