// expect: sum=wrong_answer
// Adds doubles up in a float: seven digits are left of sixteen.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ float s[1024];
    const unsigned t = threadIdx.x;
    float sum = 0;
    for (std::size_t i = t; i < n; i += 1024) sum += static_cast<float>(in[i]);
    s[t] = sum;
    for (unsigned stride = 512; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) *out = s[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) { reduce<<<1, 1024>>>(in, n, out); }
