// expect: add_double=time_limit
// expect-gpu: skip
// report: time_limit 15
// The loop compares doubles instead of bits: once the total is NaN, it never equals itself.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    double old = *address, assumed;
    do {
        assumed = old;
        old = __longlong_as_double(static_cast<long long>(
            atomicCAS(word, static_cast<unsigned long long>(__double_as_longlong(assumed)),
                      static_cast<unsigned long long>(__double_as_longlong(assumed + value)))));
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
