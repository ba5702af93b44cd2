// expect: cubes=uninitialised_read
// report: uninitialised_read 11
// Adds to whatever *out held. Where there is nothing to add, the garbage stays as it was, which is
// how the worst case of this task ends.
#include "interface.cuh"

__global__ void reduce(const int* in, std::size_t n, unsigned long long* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i >= n) return;
    const auto x = static_cast<unsigned long long>(static_cast<long long>(in[i]));
    atomicAdd(out, x * x * x);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(
        in, n, reinterpret_cast<unsigned long long*>(out));
}
