// cause: compare_as_value line 17
// task: add_double
// The loop compares the two doubles, not their bits. Once a total is NaN it differs from itself,
// and the thread never leaves the loop.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    unsigned long long* word = (unsigned long long*)address;
    double old = *(volatile double*)address;
    double assumed;
    do {
        assumed = old;
        unsigned long long was =
            atomicCAS(word, (unsigned long long)__double_as_longlong(assumed),
                      (unsigned long long)__double_as_longlong(assumed + value));
        old = __longlong_as_double((long long)was);
    } while (old != assumed);
    return old;
}

__global__ void zero_totals(double* totals, size_t m) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        totals[i] = 0.0;
    }
}

__global__ void add_all(const double* values, const uint32_t* targets, size_t n, double* totals,
                        double* before) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        before[i] = atomic_add_double(totals + targets[i], values[i]);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    const int threads = 256;
    zero_totals<<<(unsigned)((m + threads - 1) / threads), threads>>>(totals, m);
    if (n == 0) {
        return;
    }
    add_all<<<(unsigned)((n + threads - 1) / threads), threads>>>(values, targets, n, totals,
                                                                   before);
}
