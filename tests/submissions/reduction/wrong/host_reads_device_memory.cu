// expect: sum=crash
// Host code writes through a device pointer.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    *out = 0;
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
