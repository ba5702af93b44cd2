// expect: cubes=wrong_answer
// The sum has 64 bits, but each cube is computed in 32 and widened afterwards.
#include "interface.cuh"

__global__ void reduce(const int* in, std::size_t n, unsigned long long* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i >= n) return;
    const unsigned x = static_cast<unsigned>(in[i]);
    const int cube = static_cast<int>(x * x * x);
    atomicAdd(out, static_cast<unsigned long long>(static_cast<long long>(cube)));
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(
        in, n, reinterpret_cast<unsigned long long*>(out));
}
