// cause: grid_too_small line 64
// task: gather
// A team of four threads works on each cell, but the grid has a thread per cell only: from some n on the last three quarters are not written.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kBlock = 128;
constexpr unsigned kTeam = 4;  // a tetrahedron has four neighbours

/// One row of the index array per cell, in row-major order.
struct Mesh {
    const std::uint32_t* neighbour;
    std::size_t cells;

    __device__ std::uint32_t operator()(std::size_t cell, unsigned k) const {
        return neighbour[cell * kTeam + k];
    }
};

/// Adds up v over a team; all its members get the result.
template <class Group>
__device__ float team_sum(const Group& team, float v) {
    for (unsigned d = team.size() / 2; d > 0; d /= 2) v += team.shfl_xor(v, d);
    return v;
}

/// Each team of four lanes reads its row with one access, a lane per neighbour, so a warp reads
/// 128 bytes of indices in a row and asks for 32 values at once.
__global__ void gather_teams(Mesh mesh, const float* __restrict__ value, float* __restrict__ out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto team = cg::tiled_partition<kTeam>(block);

    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t cell = thread / kTeam;
    if (cell >= mesh.cells) return;  // whole teams leave, so the others' shuffles are safe

    const float mine = value[mesh(cell, team.thread_rank())];
    const float sum = team_sum(team, mine);
    if (team.thread_rank() == 0) out[cell] = sum;
}

/// How a kernel is launched for a number of work items
struct Launch {
    unsigned blocks;
    unsigned threads;

    static Launch over(std::size_t items) {
        return {static_cast<unsigned>((items + kBlock - 1) / kBlock), kBlock};
    }
};

}  // namespace

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    const Mesh mesh{neighbour, n};
    // one item for each cell of the mesh; the number of blocks is rounded up, n may be any number
    // from 1 on
    const Launch launch = Launch::over(n);
    gather_teams<<<launch.blocks, launch.threads>>>(mesh, value, out);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    // TODO
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {
    // TODO
}
