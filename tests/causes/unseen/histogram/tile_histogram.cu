// cause: missing_warp_sync line 24 or 26
// task: bytes
// The lanes of a warp add up the warp's bins without waiting for the lanes that still count.
#include <cooperative_groups.h>

#include "interface.cuh"

namespace cg = cooperative_groups;

static const int WARPS = 8;

__global__ void hist_warp(const unsigned char* __restrict__ in, std::size_t n, unsigned* bins) {
    __shared__ unsigned table[WARPS][256];

    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    unsigned* mine = table[warp.meta_group_rank()];

    // No barrier of the block anywhere: a warp has its bins for itself.
    for (int b = warp.thread_rank(); b < 256; b += warp.size()) mine[b] = 0;
    warp.sync();

    std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < n; i += std::size_t(gridDim.x) * blockDim.x) atomicAdd(mine + in[i], 1u);

    for (int b = warp.thread_rank(); b < 256; b += warp.size()) {
        if (mine[b] > 0) atomicAdd(bins + b, mine[b]);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned));
    hist_warp<<<6, 32 * WARPS>>>(in, n, bins);
}
