// expect: sum=wrong_answer cubes=wrong_answer
// n / 256 blocks, rounded down: the elements after the last whole block are left out.
#include "interface.cuh"

__device__ double term(double x) { return x; }
__device__ unsigned long long term(int x) {
    const auto v = static_cast<unsigned long long>(static_cast<long long>(x));
    return v * v * v;
}

template <class In, class T> __global__ void reduce(const In* in, T* out) {
    __shared__ T s[256];
    const unsigned t = threadIdx.x;
    s[t] = term(in[static_cast<std::size_t>(blockIdx.x) * 256 + t]);
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n >= 256) reduce<<<static_cast<unsigned>(n / 256), 256>>>(in, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n >= 256) {
        reduce<<<static_cast<unsigned>(n / 256), 256>>>(
            in, reinterpret_cast<unsigned long long*>(out));
    }
}
