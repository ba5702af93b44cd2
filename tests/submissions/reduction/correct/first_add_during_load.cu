// expect: sum=accepted
// The first addition happens during the load, so that no thread is idle from the start: a block
// of 256 threads takes 512 elements.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 512 + t;
    s[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) reduce<<<static_cast<unsigned>((n + 511) / 512), 256>>>(in, n, out);
}
