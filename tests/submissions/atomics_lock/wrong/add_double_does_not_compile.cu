// expect: add_double=compile_error critical_section=compile_error
// atomicCAS has no version for doubles.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    double old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, assumed + value);
    } while (old != assumed);
    return old;
}

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, double* before) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    add<<<static_cast<unsigned>((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}
