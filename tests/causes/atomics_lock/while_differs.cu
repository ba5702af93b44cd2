// cause: compare_as_value line 15
// task: add_double
// The loop compares doubles, and NaN differs from itself, so the loop never ends once a total is NaN.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value)
{
    unsigned long long* word = reinterpret_cast<unsigned long long*>(address);
    double seen = *reinterpret_cast<volatile double*>(address);
    double expected;
    do {
        expected = seen;
        seen = __longlong_as_double(atomicCAS(word, __double_as_longlong(expected),
                                              __double_as_longlong(expected + value)));
    } while (seen != expected);
    return seen;
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                           double* before)
{
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0) return;
    add_kernel<<<(n + 255) / 256, 256>>>(values, targets, n, totals, before);
}
