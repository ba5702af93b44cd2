// cause: wrong_shuffle_mask line 17
// task: gather
// The mask 0xf names the first four lanes of the warp, not the four lanes of the cell, so lanes from 4 on are not in their own mask.
#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

// Four neighbouring lanes work for one cell: the index loads are fully coalesced, and the four
// values are added up with shuffles inside of the group.
__global__ void gather4(const float* __restrict__ value,
                        const std::uint32_t* __restrict__ neighbour, std::size_t n,
                        float* __restrict__ out) {
    std::size_t t = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    std::size_t cell = t >> 2;
    if (cell >= n) return;

    const unsigned group = 0xfu;
    float v = value[neighbour[t]];
    v += __shfl_down_sync(group, v, 2, 4);
    v += __shfl_down_sync(group, v, 1, 4);
    if ((threadIdx.x & 3) == 0) out[cell] = v;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const unsigned block = 256;
    gather4<<<unsigned((4 * n + block - 1) / block), block>>>(value, neighbour, n, out);
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}
