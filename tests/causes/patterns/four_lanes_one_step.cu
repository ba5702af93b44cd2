// cause: tree_level_missing line 29
// task: gather
// Four lanes share a row and add with shuffles, but the loop stops a level too early: only two of the four values are in the sum.
#include "interface.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Four lanes per row: lane k of the group fetches neighbour k. The indices of a warp (32 words)
// are then read together.
constexpr int LANES = 4;
constexpr int THREADS = 256;
constexpr int ROWS_PER_BLOCK = THREADS / LANES;

__global__ void gather_groups(const float* value, const std::uint32_t* neighbour, std::size_t n,
                              float* out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<LANES> four = cg::tiled_partition<LANES>(block);

    std::size_t row = (std::size_t)blockIdx.x * ROWS_PER_BLOCK + block.thread_rank() / LANES;
    float v = 0.0f;
    if (row < n) {
        std::uint32_t from = neighbour[row * LANES + four.thread_rank()];
        v = value[from];
    }

    // tree: half of the lanes hand over to the other half
    int half = LANES / 2;
    while (half > 1) {
        v += four.shfl_down(v, half);
        half /= 2;
    }

    if (row < n && four.thread_rank() == 0)
        out[row] = v;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out)
{
    std::size_t blocks = (n + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    gather_groups<<<(unsigned)blocks, THREADS>>>(value, neighbour, n, out);
}
