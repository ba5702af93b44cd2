// cause: wrong_result_returned line 19
// task: add_double
// The function returns the new value where it should return the old one, so before[i] is the total after the addition.
#include "interface.cuh"

typedef unsigned long long u64;

// Adds value to *address in one step, as atomicAdd does for other types.
__device__ double atomic_add_double(double* address, double value)
{
    u64* word = reinterpret_cast<u64*>(address);
    u64 seen = *word;
    u64 assumed, desired;
    do {
        assumed = seen;
        desired = __double_as_longlong(value + __longlong_as_double(assumed));
        seen = atomicCAS(word, assumed, desired);
    } while (seen != assumed);   // compare the bits: NaN != NaN
    return __longlong_as_double(desired);
}

__global__ void clear(double* totals, size_t m)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < m) totals[i] = 0;
}

__global__ void add(const double* values, const uint32_t* targets, size_t n, double* totals, double* before)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const uint32_t* targets, size_t n, double* totals, size_t m, double* before)
{
    clear<<<(m + 127) / 128, 128>>>(totals, m);
    if (n > 0) add<<<(n + 127) / 128, 128>>>(values, targets, n, totals, before);
}

void critical_section(const int32_t*, size_t, size_t, int64_t*, uint64_t*, uint32_t*) {}

void transfers(const int64_t*, size_t, const uint32_t*, const uint32_t*, const int64_t*, size_t, int64_t*, uint64_t*,
               int64_t*) {}

void atomic_ops(const uint32_t*, const uint64_t*, size_t, uint32_t, uint32_t*, uint64_t*, uint32_t*, uint64_t*,
                uint32_t*, uint64_t*) {}
