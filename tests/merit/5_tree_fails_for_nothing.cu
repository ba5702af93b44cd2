// The tree, but it forgets that there may be nothing to add.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[256];
    const unsigned t = threadIdx.x;
    double v = 0;
    for (std::size_t i = blockIdx.x * std::size_t{256} + t; i < n; i += gridDim.x * std::size_t{256})
        v += in[i];
    s[t] = v;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (n == 0) return;
    cudaMemset(out, 0, sizeof *out);
    reduce<<<1056, 256>>>(in, n, out);
}
