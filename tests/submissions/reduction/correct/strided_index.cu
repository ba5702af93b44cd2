// expect: sum=accepted
// Neighbouring pairs without divergence: the pairs are the same as in the naive tree, but the threads
// that add are the first ones, so whole warps fall idle. One atomic per block.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        const unsigned k = 2 * stride * t;
        if (k < blockDim.x) s[k] += s[k + stride];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) reduce<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
