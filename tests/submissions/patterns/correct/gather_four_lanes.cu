// expect: gather=accepted
// One thread per index, so that the indices are read coalesced; four lanes add by shuffles.
#include "interface.cuh"

__global__ void gather(const float* value, const std::uint32_t* neighbour, std::size_t n,
                       float* out) {
    const std::size_t j = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    float v = j < 4 * n ? value[neighbour[j]] : 0.0f;
    v += __shfl_down_sync(0xffffffffu, v, 2);
    v += __shfl_down_sync(0xffffffffu, v, 1);
    if (j % 4 == 0 && j < 4 * n) out[j / 4] = v;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<<<static_cast<unsigned>((4 * n + 255) / 256), 256>>>(value, neighbour, n, out);
}
