// expect: map=accepted
// A grid of fixed size whose threads stride over the data: works for every n.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                      float* y) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        y[i] = ((c3 * x[i] + c2) * x[i] + c1) * x[i] + c0;
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic<<<30, 256>>>(x, n, c0, c1, c2, c3, y);
}
