// expect: inclusive_int=wrong_answer inclusive_float=wrong_answer
// Each block scans its part and starts from zero: nothing is carried from block to block.
#include "interface.cuh"

template <class T> __global__ void scan_blocks(const T* in, std::size_t n, T* out) {
    __shared__ T s[2][256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    int now = 0;
    s[0][t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= stride ? s[now][t - stride] : T(0));
        now = 1 - now;
    }
    if (i < n) out[i] = s[now][t];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    scan_blocks<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan_blocks<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
