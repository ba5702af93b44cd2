// expect: cubes=data_race
// report: missing_atomic 10 10
// *out += without an atomic: two threads read the same old value and one addition is lost.
#include "interface.cuh"

__global__ void reduce(const int* in, std::size_t n, unsigned long long* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i >= n) return;
    const auto x = static_cast<unsigned long long>(static_cast<long long>(in[i]));
    *out += x * x * x;
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(
        in, n, reinterpret_cast<unsigned long long*>(out));
}
