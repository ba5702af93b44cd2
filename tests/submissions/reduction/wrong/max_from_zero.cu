// expect: max=wrong_answer
// Starts from 0 instead of minus infinity: wrong where all elements are negative, and for n = 0.
#include "interface.cuh"

__global__ void reduce(const float* in, std::size_t n, float* out) {
    __shared__ float s[1024];
    const unsigned t = threadIdx.x;
    float largest = 0;
    for (std::size_t i = t; i < n; i += 1024) largest = fmaxf(largest, in[i]);
    s[t] = largest;
    for (unsigned stride = 512; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] = fmaxf(s[t], s[t + stride]);
    }
    if (t == 0) *out = s[0];
}

void reduce_max(const float* in, std::size_t n, float* out) { reduce<<<1, 1024>>>(in, n, out); }
