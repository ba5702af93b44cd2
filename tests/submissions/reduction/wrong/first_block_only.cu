// expect: sum=wrong_answer max=wrong_answer
// Each block reduces its part, and nobody combines the parts: the result is that of block 0.
#include "interface.cuh"

__device__ double combine(double a, double b) { return a + b; }
__device__ float combine(float a, float b) { return fmaxf(a, b); }

template <class T> __global__ void reduce(const T* in, std::size_t n, T identity, T* out) {
    __shared__ T s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    s[t] = i < n ? in[i] : identity;
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] = combine(s[t], s[t + stride]);
    }
    if (t == 0 && blockIdx.x == 0) *out = s[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, 0.0, out);
}
void reduce_max(const float* in, std::size_t n, float* out) {
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, -INFINITY, out);
}
