// expect: sum=data_race
// report: shared_race 11 13
// The last warp is unrolled, and the barrier between the load and its first step went with the loop:
// warp 0 adds the values of warp 1 before they are there.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[64];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 64 + t;
    s[t] = i < n ? in[i] : 0;
    if (t >= 32) return;
    double v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (t == 0) atomicAdd(out, v);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 64 + 1), 64>>>(in, n, out);
}
