// expect: add_double=wrong_answer
// Adds in single precision: a sum of more than 24 bits is rounded. One thread, so that nothing else
// can go wrong.
#include "interface.cuh"

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, double* before) {
    for (std::size_t i = 0; i < n; ++i) {
        before[i] = totals[targets[i]];
        totals[targets[i]] = static_cast<float>(before[i]) + static_cast<float>(values[i]);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    add<<<1, 1>>>(values, targets, n, totals, before);
}
