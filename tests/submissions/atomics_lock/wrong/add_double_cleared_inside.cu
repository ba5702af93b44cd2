// expect: add_double=data_race
// report: global_race 12 19
// Every block clears the totals at its start, also what other blocks have added by then.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *word, assumed;
    do {
        assumed = old;
        const double sum = __longlong_as_double(static_cast<long long>(assumed)) + value;
        old = atomicCAS(word, assumed, static_cast<unsigned long long>(__double_as_longlong(sum)));
    } while (old != assumed);
    return __longlong_as_double(static_cast<long long>(old));
}

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, std::size_t m, double* before) {
    for (std::size_t t = threadIdx.x; t < m; t += blockDim.x) totals[t] = 0;
    __syncthreads();
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    add<<<static_cast<unsigned>(n / 128 + 1), 128>>>(values, targets, n, totals, m, before);
}
