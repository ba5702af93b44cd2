// expect: add_double=accepted
// Right, but a single warp does it all, and in the crowded cases its lanes fight each other.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    for (;;) {
        const unsigned long long old = *static_cast<volatile unsigned long long*>(word);
        const double was = __longlong_as_double(static_cast<long long>(old));
        const auto sum = static_cast<unsigned long long>(__double_as_longlong(was + value));
        if (atomicCAS(word, old, sum) == old) return was;
    }
}

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, double* before) {
    for (std::size_t i = threadIdx.x; i < n; i += 32) {
        before[i] = atomic_add_double(totals + targets[i], values[i]);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    add<<<1, 32>>>(values, targets, n, totals, before);
}
