// cause: no_retry line 14 or 15
// task: scatter
// the compare-and-swap that adds an amount is tried once only: an amount is lost whenever two threads meet at one total
#include "interface.cuh"
#include <cuda_runtime.h>

/* own 64-bit signed atomic add, since there is none for long long */
__device__ long long atomicAddLL(long long *address, long long val)
{
    unsigned long long *p = (unsigned long long *)address;
    unsigned long long old = *(volatile unsigned long long *)p;
    unsigned long long assumed;

    assumed = old;
    old = atomicCAS(p, assumed, (unsigned long long)((long long)assumed + val));

    return (long long)old;
}

__global__ void clear(long long *total, size_t m)
{
    size_t t = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (t < m) total[t] = 0;
}

__global__ void scatter(const int *value, const unsigned *target, size_t n, long long *total)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i < n) atomicAddLL(total + target[i], value[i]);
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n, std::size_t m, std::int64_t *total)
{
    const int T = 128;
    clear<<<(m + T - 1) / T, T>>>((long long *)total, m);
    if (n > 0)
        scatter<<<(n + T - 1) / T, T>>>(value, target, n, (long long *)total);
}
