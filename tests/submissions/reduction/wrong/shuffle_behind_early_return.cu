// expect: sum=barrier_divergence
// report: barrier_divergence 11 13
// Threads past the end return, and the mask of the shuffles names them all the same. What the last
// warp's lanes ask them for is undefined.
#include "interface.cuh"

__global__ void clear(double* out) { *out = 0; }

__global__ void reduce(const double* in, std::size_t n, double* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i >= n) return;
    double v = in[i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    clear<<<1, 1>>>(out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
