// expect: cubes=wrong_answer
// Cubes and sums are ints: 1291 cubed does not fit. Widening the result comes too late.
#include "interface.cuh"

__global__ void reduce(const int* in, std::size_t n, unsigned long long* out) {
    __shared__ int s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    s[t] = i < n ? in[i] * in[i] * in[i] : 0;
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) atomicAdd(out, static_cast<unsigned long long>(static_cast<long long>(s[0])));
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(
        in, n, reinterpret_cast<unsigned long long*>(out));
}
