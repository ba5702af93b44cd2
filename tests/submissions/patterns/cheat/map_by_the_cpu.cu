// expect: map=accepted
// at-most: map.performance=0 map.technique=0
// The CPU maps and copies its result over what a kernel wrote for show.
#include <vector>

#include "interface.cuh"

__global__ void show(const float* x, std::size_t n, float* y) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    std::vector<float> host(n);
    if (n == 0) return;
    show<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, y);
    cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float& v : host) v = c0 + v * (c1 + v * (c2 + v * c3));
    cudaMemcpy(y, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
