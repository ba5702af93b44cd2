// expect: sum=time_limit
// expect-gpu: skip
// report: time_limit 11, time_limit 13
// stride >= 0 instead of stride > 0: zero halved is zero.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[256];
    const int t = static_cast<int>(threadIdx.x);
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    s[t] = i < n ? in[i] : 0;
    for (int stride = 128; stride >= 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
