// expect: gather=out_of_bounds
// expect-gpu: skip
// report: out_of_bounds 14
// Two outputs per thread, but the bound is checked for the first of them only: with an odd n one
// thread reads the row after the last and writes behind the end. Hardware seldom notices.
#include "interface.cuh"

__global__ void gather(const float* value, const std::uint32_t* neighbour, std::size_t n,
                       float* out) {
    const std::size_t i = 2 * (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x);
    if (i >= n) return;
    for (std::size_t j = i; j < i + 2; ++j) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * j + k]];
        out[j] = sum;
    }
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<<<static_cast<unsigned>((n + 511) / 512), 256>>>(value, neighbour, n, out);
}
