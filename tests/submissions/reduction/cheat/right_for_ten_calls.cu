// expect: sum=wrong_answer|nondeterministic
// at-most: sum=9.5 sum.performance=0
// Right for the first ten calls of a process.
#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static int calls = 0;
    if (++calls > 10) return void(cudaMemset(out, 0, sizeof *out));
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
