// expect: map=accepted
// Each thread walks a section of its own, as CPU threads do: a warp's loads are n / threads apart
// and never coalesce.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t section = (n + threads - 1) / threads;
    for (std::size_t i = thread * section; i < (thread + 1) * section && i < n; ++i) {
        y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic<<<16, 128>>>(x, n, c0, c1, c2, c3, y);
}
