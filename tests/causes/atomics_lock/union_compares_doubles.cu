// cause: compare_as_value line 21
// task: add_double
// the loop compares the doubles instead of their bits, and a NaN never equals itself; hangs when a target that has received a NaN gets one more value
#include "interface.cuh"
#include <cuda_runtime.h>

union Word {
    double d;
    unsigned long long u;
};

__device__ double atomic_add_double(double *address, double value)
{
    unsigned long long *p = (unsigned long long *)address;
    Word seen, wanted, got;
    got.d = *(volatile double *)address;
    do {
        seen = got;
        wanted.d = seen.d + value;
        got.u = atomicCAS(p, seen.u, wanted.u);
    } while (got.d != seen.d);
    return seen.d;
}

__global__ void add_kernel(const double *values, const unsigned *targets, unsigned n,
                           double *totals, double *before)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double *values, const std::uint32_t *targets, std::size_t n,
                double *totals, std::size_t m, double *before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0)
        return;
    add_kernel<<<(n + 127) / 128, 128>>>(values, targets, (unsigned)n, totals, before);
}
