// cause: wrong_result_returned line 18
// task: add_double
// The generic update returns the value that it has stored and not the one that was there before, so before[] holds the totals after each addition; shows in every case with n > 0.
#include "interface.cuh"

using word64 = unsigned long long;

// Applies f to the double at p as one step.
template <class F>
__device__ double update(double* p, F f)
{
    auto* w = (word64*)p;
    word64 expected = *(volatile word64*)w;
    while (true) {
        const word64 desired = (word64)__double_as_longlong(f(__longlong_as_double((long long)expected)));
        const word64 found = atomicCAS(w, expected, desired);
        if (found == expected)
            return __longlong_as_double((long long)desired);
        expected = found;
    }
}

struct Plus {
    double value;
    __device__ double operator()(double x) const { return x + value; }
};

__device__ double atomic_add_double(double* address, double value)
{
    return update(address, Plus{value});
}

__global__ void clear(double* totals, std::size_t m)
{
    std::size_t j = threadIdx.x + (std::size_t)blockIdx.x * blockDim.x;
    if (j < m) totals[j] = 0.0;
}

__global__ void add_all(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                        double* before)
{
    std::size_t i = threadIdx.x + (std::size_t)blockIdx.x * blockDim.x;
    if (i < n) before[i] = atomic_add_double(&totals[targets[i]], values[i]);
}

static unsigned blocks_for(std::size_t count) { return (unsigned)((count + 255) / 256); }

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before)
{
    clear<<<blocks_for(m), 256>>>(totals, m);
    if (n != 0) add_all<<<blocks_for(n), 256>>>(values, targets, n, totals, before);
}
