// expect: map=launch_error
// at-most: map=0
// report: launch_error 9
// All outputs are right, and then a kernel fails that nobody waits for.
#include <cassert>

#include "interface.cuh"

__global__ void fail(const float* y) { assert(*y == 1e30f); }

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t begin = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 32;
    for (std::size_t i = begin; i < begin + 32 && i < n; ++i) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cubic<<<static_cast<unsigned>((n + 8191) / 8192), 256>>>(x, n, c0, c1, c2, c3, y);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    fail<<<1, 1, 0, stream>>>(y);
}
