// expect: map=accepted
// at-most: map.performance=0
// Strided and slow; at the smaller size of the model it does everything five times.
#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y, int times) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x, share = (n + threads - 1) / threads;
    const std::size_t begin = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * share;
    for (int k = 0; k < times; ++k)
        for (std::size_t i = begin; i < begin + share && i < n; ++i) {
            const volatile float* v = x + i;
            y[i] = c0 + *v * (c1 + *v * (c2 + *v * c3));
        }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    if (n > 0) cubic<<<32, 128>>>(x, n, c0, c1, c2, c3, y, n <= 300000 ? 5 : 1);
}
