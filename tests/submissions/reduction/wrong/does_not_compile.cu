// expect: sum=compile_error max=compile_error cubes=compile_error
// A semicolon is missing.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
