// expect: sum=wrong_answer
// A width of 16 splits the warp in two groups that know nothing of each other, and lane 0 has the
// sum of the first group only.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    double v = i < n ? in[i] : 0;
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d, 16);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
