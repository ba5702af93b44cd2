// cause: divergent_barrier or uninitialised_shared line 20
// task: gather
// threads past the last cell leave before the barrier and before they have staged their share of the indices: it shows in a last block that is not full
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int CELLS = 128;

// Indices of the block's cells are brought in with neighbouring lanes reading neighbouring words.
__global__ void gatherStaged(const float* value, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    __shared__ std::uint32_t stage[4][CELLS];
    cg::thread_block block = cg::this_thread_block();

    const unsigned t = block.thread_rank();
    const std::size_t firstCell = std::size_t(blockIdx.x) * CELLS;
    const std::size_t cell = firstCell + t;
    if (cell >= n)
        return;

    const std::size_t words = 4 * n;
    for (int k = 0; k < 4; ++k) {
        const std::size_t w = 4 * firstCell + k * CELLS + t;
        const unsigned local = k * CELLS + t;
        if (w < words)
            stage[local % 4][local / 4] = neighbour[w];
    }
    block.sync();

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        sum += value[stage[k][t]];
    out[cell] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    const dim3 grid(static_cast<unsigned>((n + CELLS - 1) / CELLS));
    gatherStaged<<<grid, CELLS>>>(value, neighbour, n, out);
}
