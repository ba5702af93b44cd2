// expect: add_double=nondeterministic
// expect-gpu: add_double=nondeterministic|wrong_answer
// Compares and swaps once and goes on, whether it worked or not: lanes that lose lose their value.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    const unsigned long long old = *word;
    const double was = __longlong_as_double(static_cast<long long>(old));
    atomicCAS(word, old, static_cast<unsigned long long>(__double_as_longlong(was + value)));
    return was;
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
