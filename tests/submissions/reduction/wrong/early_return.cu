// expect: sum=barrier_divergence
// report: barrier_divergence 11 14, uninitialised_read 15
// Threads past the end return before the barrier, and leave their slots of shared memory as they
// found them. The others add the garbage.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    if (i >= n) return;
    s[t] = in[i];
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0) s[t] += s[t + stride];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
