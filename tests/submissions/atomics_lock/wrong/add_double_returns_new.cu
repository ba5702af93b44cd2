// expect: add_double=wrong_answer
// The totals are right; what comes back is the new value instead of the old one.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *word, assumed, sum;
    do {
        assumed = old;
        sum = static_cast<unsigned long long>(
            __double_as_longlong(__longlong_as_double(static_cast<long long>(assumed)) + value));
        old = atomicCAS(word, assumed, sum);
    } while (old != assumed);
    return __longlong_as_double(static_cast<long long>(sum));
}

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, double* before) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    add<<<static_cast<unsigned>((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}
