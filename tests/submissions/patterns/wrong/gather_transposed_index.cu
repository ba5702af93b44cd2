// expect: gather=wrong_answer
// Reads the index as if it had 4 rows of n: column k of row i is taken at k * n + i.
#include "interface.cuh"

__global__ void gather(const float* value, const std::uint32_t* neighbour, std::size_t n,
                       float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += value[neighbour[k * n + i]];
    out[i] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, neighbour, n, out);
}
