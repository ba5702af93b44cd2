// expect: map=accepted
// Control: some lines of output, from the host and from a kernel.
#include <cstdio>

#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
    if (i == 0) printf("the first is %f\n", y[0]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    for (int line = 0; line < 20; ++line) std::printf("%zu elements\n", n);
    std::fprintf(stderr, "to be seen\n");
    cubic<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
