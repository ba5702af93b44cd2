// cause: compare_as_value line 18
// task: add_double
// The loop compares doubles, so it never ends once a total has become NaN.
#include "interface.cuh"

// atomicAdd for doubles after the CUDA C++ Programming Guide
__device__ double atomic_add_double(double* address, double value)
{
    unsigned long long* word = (unsigned long long*)address;
    double old = __longlong_as_double(atomicAdd(word, 0ull));
    double assumed;
    do {
        assumed = old;
        unsigned long long seen =
            atomicCAS(word, (unsigned long long)__double_as_longlong(assumed),
                      (unsigned long long)__double_as_longlong(assumed + value));
        old = __longlong_as_double(seen);
    } while (assumed != old);
    return old;
}

__global__ void clear(double* totals, size_t m)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < m)
        totals[i] = 0.0;
}

__global__ void add_kernel(const double* values, const uint32_t* targets, size_t n,
                           double* totals, double* before)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        before[i] = atomic_add_double(&totals[targets[i]], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before)
{
    const int threads = 256;
    clear<<<(m + threads - 1) / threads, threads>>>(totals, m);
    if (n > 0)
        add_kernel<<<(n + threads - 1) / threads, threads>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
