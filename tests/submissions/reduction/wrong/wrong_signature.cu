// expect: sum=function_missing max=accepted
// reduce_sum takes floats here: C++ makes that another function, and the one that is graded is
// missing. The other tasks are graded all the same.
#include "interface.cuh"

__global__ void sum(const float* in, std::size_t n, float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

__global__ void largest(const float* in, std::size_t n, float* out) {
    float v = -INFINITY;
    for (std::size_t i = threadIdx.x; i < n; i += 32) v = fmaxf(v, in[i]);
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    if (threadIdx.x == 0) *out = v;
}

void reduce_sum(const float* in, std::size_t n, float* out) {
    cudaMemset(out, 0, sizeof *out);
    sum<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) { largest<<<1, 32>>>(in, n, out); }
