// expect: gather=accepted
// The pattern as it is drawn: each thread fetches what its own output needs, the store is
// coalesced.
#include "interface.cuh"

__global__ void gather(const float* value, const std::uint32_t* neighbour, std::size_t n,
                       float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * i + k]];
    out[i] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, neighbour, n, out);
}
