// cause: compare_as_value line 15
// task: add_double
// The loop around atomicCAS compares doubles; once a total is NaN it never equals itself and the loop does not end.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value)
{
    unsigned long long int* bits = reinterpret_cast<unsigned long long int*>(address);
    double seen = __longlong_as_double(static_cast<long long>(atomicAdd(bits, 0ULL)));
    double assumed;
    do {
        assumed = seen;
        const unsigned long long int wanted = __double_as_longlong(assumed + value);
        seen = __longlong_as_double(atomicCAS(bits, __double_as_longlong(assumed), wanted));
    } while (seen != assumed);
    return assumed;
}

__global__ void addKernel(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                          double* before)
{
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    while (i < n) {
        before[i] = atomic_add_double(totals + targets[i], values[i]);
        i += step;
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before)
{
    cudaMemset(totals, 0, m * sizeof(double));

    const int block = 192;
    int grid = static_cast<int>((n + block - 1) / block);
    if (grid > 1024) grid = 1024;
    if (grid < 1) grid = 1;
    addKernel<<<grid, block>>>(values, targets, n, totals, before);
}
