// expect: sum=suspicious|data_race
// at-most: sum=8
// report: missing_atomic 14 14
// The first cases spend what the checkers have for second looks; later ones count to a million before they race.
#include "interface.cuh"
__global__ void racy(const double* in, std::size_t n, double* out, unsigned turns) {
    unsigned x = threadIdx.x + 1;
    for (unsigned k = 0; k < turns; ++k) x = x * 1664525u + 1013904223u;
    if (threadIdx.x != 0 || x == 0) return;
    double sum = 0;
    for (std::size_t i = blockIdx.x; i < n; i += gridDim.x) sum += in[i];
    if (n <= 2) { if (blockIdx.x == 0) { sum = 0; for (std::size_t i = 0; i < n; ++i) sum += in[i]; } }
    if (n <= 2 && blockIdx.x == 1) return;
    *out = *out + sum;  // THE RACE
}
void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    racy<<<2, 32>>>(in, n, out, n <= 2 ? 24000000 : n <= 20000 ? 2000000 : 0);
}
