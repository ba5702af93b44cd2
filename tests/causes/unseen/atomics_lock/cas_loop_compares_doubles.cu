// cause: compare_as_value line 16
// task: add_double
// the loop ends when two doubles are equal, which NaN never is; hangs in the cases with a NaN among the values.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value)
{
    unsigned long long* word = (unsigned long long*)address;
    double assumed;
    double old = *(volatile double*)address;
    do {
        assumed = old;
        old = __longlong_as_double(atomicCAS(word,
                                             __double_as_longlong(assumed),
                                             __double_as_longlong(assumed + value)));
    } while (old != assumed);
    return old;
}

__global__ void addKernel(const double* values, const uint32_t* targets, size_t n,
                          double* totals, double* before)
{
    // grid-stride loop
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const uint32_t* targets, size_t n,
                double* totals, size_t m, double* before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    if (n > 0)
        addKernel<<<(unsigned)((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}
