// expect: sum=data_race
// report: global_race 15 15
// Every block stores its sum to *out: the last one wins, and which that is differs.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    s[t] = i < n ? in[i] : 0;
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) *out = s[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
