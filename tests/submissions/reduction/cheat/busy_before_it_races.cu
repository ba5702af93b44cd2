// expect: sum=data_race
// at-most: sum=4 sum.performance=0 sum.technique=0
// report: missing_atomic 13 13
// In every session alike, and for no use: the checkers' budget of instructions is spent before the race.
#include "interface.cuh"

__global__ void racy(const double* in, std::size_t n, double* out) {
    unsigned x = threadIdx.x + 1;
    for (int k = 0; k < 400000; ++k) x = x * 1664525u + 1013904223u;
    if (threadIdx.x != 0 || x == 0) return;
    double sum = 0;
    for (std::size_t i = blockIdx.x; i < n; i += gridDim.x) sum += in[i];
    *out = *out + sum;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    racy<<<2, 32>>>(in, n, out);
}
