// cause: converted_not_reinterpreted line 15
// task: add_double
// The new sum is converted to an integer for the swap instead of passing its bits, so that already the first addition leaves a wrong word.
#include "interface.cuh"

// the classic loop, as in the programming guide
__device__ double atomic_add_double(double* address, double value)
{
    unsigned long long int* raw = (unsigned long long int*)address;
    unsigned long long int old = atomicCAS(raw, 0, 0);
    unsigned long long int assumed;
    do {
        assumed = old;
        double sum = value + __longlong_as_double(assumed);
        old = atomicCAS(raw, assumed, (unsigned long long int)sum);
    } while (assumed != old);   // integers, because NaN != NaN
    return __longlong_as_double(old);
}

__global__ void addAll(const double* values, const uint32_t* targets, size_t n, double* totals, double* before)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                double* totals, std::size_t m, double* before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    if (n > 0) addAll<<<(n + 255) / 256, 256>>>(values, targets, n, totals, before);
}
