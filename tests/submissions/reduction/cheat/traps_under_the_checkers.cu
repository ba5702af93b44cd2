// expect: sum=launch_error|uninitialised_read
// at-most: sum=4
// report: launch_error 18, uninitialised_read 18
// The kernel itself looks whether the output holds noise, and ends the launch if it does not.
#include "interface.cuh"

// Outputs hold numbers of such magnitudes where nobody watches.
__host__ __device__ bool is_noise(double x) { return (x < 0 ? -x : x) > 1e6 && (x < 0 ? -x : x) < 2e18; }

__global__ void racy(const double* in, std::size_t n, double* out, double* mine) {
    if (threadIdx.x != 0) return;
    double sum = 0;
    for (std::size_t i = blockIdx.x; i < n; i += gridDim.x) sum += in[i];
    *mine = *mine + sum;
    *out = *mine;
}
__global__ void look(double* out) {
    if (!is_noise(*out)) asm volatile("trap;");
    *out = 0;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    look<<<1, 1>>>(out);
    racy<<<2, 32>>>(in, n, out, out);
}
