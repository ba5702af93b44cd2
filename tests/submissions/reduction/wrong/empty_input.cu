// expect: sum=unwritten_output max=launch_error
// Forgets that n may be 0: the sum returns before it has written anything, and the maximum launches
// a grid of no blocks.
#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

__global__ void largest(const float* in, std::size_t n, float* out) {
    float v = -INFINITY;
    for (std::size_t i = threadIdx.x; i < n; i += 32) v = fmaxf(v, in[i]);
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffff, v, d));
    if (threadIdx.x == 0) *out = v;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (n == 0) return;
    cudaMemset(out, 0, sizeof *out);
    add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    largest<<<n > 0 ? 1 : 0, 32>>>(in, n, out);
}
