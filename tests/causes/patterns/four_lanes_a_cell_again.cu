// cause: grid_too_small line 26
// task: gather
// Four threads work on a cell, but the grid has only enough threads for one; cells beyond the first quarter of the grid are not written.
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned block_size = 256;

__global__ void gather_quads(const float* value, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    auto quad = cg::tiled_partition<4>(cg::this_thread_block());
    const std::size_t entry = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const std::size_t cell = entry / 4;
    if (cell >= n) return;

    float v = value[neighbour[entry]];
    v += quad.shfl_xor(v, 1);
    v += quad.shfl_xor(v, 2);
    if (quad.thread_rank() == 0) out[cell] = v;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    const auto blocks = static_cast<unsigned>((n + block_size - 1) / block_size);
    gather_quads<<<blocks, block_size>>>(value, neighbour, n, out);
}
