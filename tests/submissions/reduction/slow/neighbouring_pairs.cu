// expect: sum=accepted cubes=accepted
// Neighbouring pairs with divergence: in each step the threads whose number is a multiple of twice
// the stride add. Every warp stays busy to the end with fewer and fewer lanes.
#include "interface.cuh"

__device__ double term(double x) { return x; }
__device__ unsigned long long term(int x) {
    const auto v = static_cast<unsigned long long>(static_cast<long long>(x));
    return v * v * v;
}

template <class In, class T> __global__ void reduce(const In* in, std::size_t n, T* out) {
    __shared__ T partial[512];
    const unsigned t = threadIdx.x;
    const std::size_t start = static_cast<std::size_t>(blockIdx.x) * 512;
    partial[t] = start + t < n ? term(in[start + t]) : T(0);
    partial[256 + t] = start + 256 + t < n ? term(in[start + 256 + t]) : T(0);
    for (unsigned stride = 1; stride <= 256; stride *= 2) {
        __syncthreads();
        if (t % stride == 0) partial[2 * t] += partial[2 * t + stride];
    }
    if (t == 0) atomicAdd(out, partial[0]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) reduce<<<static_cast<unsigned>((n + 511) / 512), 256>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) {
        reduce<<<static_cast<unsigned>((n + 511) / 512), 256>>>(
            in, n, reinterpret_cast<unsigned long long*>(out));
    }
}
