// cause: compare_as_value line 17
// task: add_double
// The loop asks with doubles whether the swap has succeeded; once a total is NaN, NaN != NaN holds for ever.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    unsigned long long int* word = (unsigned long long int*)address;
    double seen = *(volatile double*)address;
    double expected;
    do {
        expected = seen;
        double sum = expected + value;
        unsigned long long int before =
            atomicCAS(word, (unsigned long long int)__double_as_longlong(expected),
                      (unsigned long long int)__double_as_longlong(sum));
        seen = __longlong_as_double((long long int)before);
    } while (seen != expected);
    return seen;
}

__global__ void clear_totals(double* totals, std::size_t m) {
    std::size_t t = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m) totals[t] = 0.0;
}

__global__ void add_values(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(&totals[targets[i]], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    const unsigned block = 256;
    clear_totals<<<(unsigned)((m + block - 1) / block), block>>>(totals, m);
    if (n > 0)
        add_values<<<(unsigned)((n + block - 1) / block), block>>>(values, targets, n, totals,
                                                                   before);
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
