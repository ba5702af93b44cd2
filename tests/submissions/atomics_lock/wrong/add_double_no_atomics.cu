// expect: add_double=data_race
// report: global_race 10 11, global_race 11 11, missing_syncwarp 10 11
// A plain read, add and write: colliding updates are lost.
#include "interface.cuh"

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, double* before) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    before[i] = totals[targets[i]];
    totals[targets[i]] = before[i] + values[i];
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    add<<<static_cast<unsigned>((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}
