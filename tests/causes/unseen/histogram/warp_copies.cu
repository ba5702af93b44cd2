// cause: missing_barrier line 27
// task: bytes
// The copies of the warps are added up without waiting for the other warps to finish counting; the merge misses counts of slower warps.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int WARPS>
__global__ void histogram_per_warp(const unsigned char* __restrict__ in, std::size_t n,
                                   unsigned int* __restrict__ bins)
{
    __shared__ unsigned int copies[WARPS][256];

    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    unsigned int* mine = copies[warp.meta_group_rank()];

    for (unsigned int b = warp.thread_rank(); b < 256; b += warp.size())
        mine[b] = 0;
    warp.sync();

    const std::size_t step = std::size_t(gridDim.x) * block.size();
    for (std::size_t i = std::size_t(blockIdx.x) * block.size() + block.thread_rank(); i < n; i += step)
        atomicAdd(mine + in[i], 1u);
    warp.sync();

    for (unsigned int b = block.thread_rank(); b < 256; b += block.size()) {
        unsigned int sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w)
            sum += copies[w][b];
        if (sum > 0)
            atomicAdd(bins + b, sum);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    constexpr int warps = 8;
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n == 0)
        return;
    std::size_t blocks = (n + 16383) / 16384;
    if (blocks > 128)
        blocks = 128;
    histogram_per_warp<warps><<<unsigned(blocks), 32 * warps>>>(in, n, bins);
}
