// expect: map=accepted
// Control: 300 MiB on the host and 300 MiB on the device, which is much, and less than the limits.
#include <stdexcept>
#include <vector>

#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    static int calls = 0;
    if (calls++ == 0) {
        const std::vector<char> host(300 << 20, 1);
        void* device = nullptr;
        if (host.back() != 1 || cudaMalloc(&device, 300 << 20) != cudaSuccess || cudaFree(device) != cudaSuccess)
            throw std::runtime_error("no memory");
    }
    cubic<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
