// expect: sum=launch_error
// 2048 threads in a block: the launch fails, and *out keeps the zero of the memset.
#include "interface.cuh"

__global__ void reduce(const double* in, std::size_t n, double* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 2048 + 1), 2048>>>(in, n, out);
}
