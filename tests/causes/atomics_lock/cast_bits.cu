// cause: converted_not_reinterpreted line 13
// task: add_double
// The sum is converted to an integer, and the integer is stored as if it were the sum's bits; shows from the first addition on.
#include "interface.cuh"

using ull = unsigned long long;

__device__ double atomic_add_double(double* address, double value) {
    ull* p = (ull*)address;
    ull old = atomicAdd(p, 0ull);
    for (;;) {
        double sum = __longlong_as_double((long long)old) + value;
        ull got = atomicCAS(p, old, static_cast<ull>(sum));
        if (got == old) break;
        old = got;
    }
    return __longlong_as_double((long long)old);
}

__global__ void clear(double* p, size_t count) {
    for (size_t k = threadIdx.x + blockIdx.x * size_t(blockDim.x); k < count; k += gridDim.x * size_t(blockDim.x))
        p[k] = 0.0;
}

__global__ void addAll(const double* values, const std::uint32_t* targets, size_t n, double* totals, double* before) {
    for (size_t k = threadIdx.x + blockIdx.x * size_t(blockDim.x); k < n; k += gridDim.x * size_t(blockDim.x))
        before[k] = atomic_add_double(&totals[targets[k]], values[k]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before) {
    clear<<<32, 128>>>(totals, m);
    addAll<<<128, 128>>>(values, targets, n, totals, before);
}
