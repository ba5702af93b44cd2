// cause: wrong_identity line 33
// task: max
// The lanes of the last warp that have no warp's maximum take part with 0, so a negative maximum becomes 0.
#include "interface.cuh"
#include <cooperative_groups.h>
#include <cfloat>
#include <cmath>
namespace cg = cooperative_groups;

template <typename Tile>
__device__ float tile_max(const Tile& tile, float v) {
    for (int d = tile.size() / 2; d > 0; d /= 2)
        v = fmaxf(v, tile.shfl_xor(v, d));
    return v;
}

__global__ void max_kernel(const float* in, std::size_t n, float* out) {
    __shared__ float best[32];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const unsigned warps = block.size() / 32;

    float mine = -HUGE_VALF;
    const std::size_t step = std::size_t(gridDim.x) * block.size();
    for (std::size_t i = std::size_t(blockIdx.x) * block.size() + block.thread_rank(); i < n; i += step)
        mine = fmaxf(mine, in[i]);

    mine = tile_max(warp, mine);
    if (warp.thread_rank() == 0) best[block.thread_rank() / 32] = mine;
    block.sync();

    if (block.thread_rank() < 32) {
        mine = warp.thread_rank() < warps ? best[warp.thread_rank()] : 0.0f;
        mine = tile_max(warp, mine);
        if (warp.thread_rank() == 0) out[blockIdx.x] = mine;
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    static float* scratch = nullptr;
    const unsigned limit = 1024;
    if (scratch == nullptr) cudaMalloc(&scratch, limit * sizeof(float));

    unsigned blocks = 1;
    while (blocks < limit && std::size_t(blocks) * 512 < n) blocks *= 2;
    max_kernel<<<blocks, 512>>>(in, n, scratch);
    max_kernel<<<1, 512>>>(scratch, blocks, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
