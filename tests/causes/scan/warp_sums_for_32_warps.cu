// cause: uninitialised_shared line 31
// task: inclusive_float
// The first warp loads 32 sums of warps, but a block of 256 threads has only 8 warps: the other 24 were never stored.
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static constexpr unsigned kBlock = 256;

__device__ float inclusive_in_warp(const cg::thread_block_tile<32>& warp, float x) {
    for (unsigned d = 1; d < 32; d *= 2) {
        const float y = warp.shfl_up(x, d);
        if (warp.thread_rank() >= d) x += y;
    }
    return x;
}

// Inclusive scan over the block. Everybody also gets the block's sum.
__device__ float inclusive_in_block(float x, float& block_sum) {
    __shared__ float warp_sum[32];
    __shared__ float total;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const unsigned w = block.thread_rank() / 32;

    x = inclusive_in_warp(warp, x);
    if (warp.thread_rank() == 31) warp_sum[w] = x;
    block.sync();
    if (w == 0) {
        float s = warp_sum[warp.thread_rank()];
        s = inclusive_in_warp(warp, s);
        warp_sum[warp.thread_rank()] = s;
        if (warp.thread_rank() == 31) total = s;
    }
    block.sync();
    if (w > 0) x += warp_sum[w - 1];
    block_sum = total;
    block.sync();
    return x;
}

__global__ void tiles(const float* in, float* out, std::size_t n, float* sums) {
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x;
    float sum;
    const float x = inclusive_in_block(i < n ? in[i] : 0.0f, sum);
    if (i < n) out[i] = x;
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void one_block(float* sums, std::size_t count) {
    float carry = 0.0f;
    for (std::size_t base = 0; base < count; base += kBlock) {
        const std::size_t i = base + threadIdx.x;
        float sum;
        const float x = inclusive_in_block(i < count ? sums[i] : 0.0f, sum);
        if (i < count) sums[i] = carry + x;
        carry += sum;
    }
}

__global__ void add(float* out, std::size_t n, const float* sums) {
    const std::size_t i = std::size_t(blockIdx.x + 1) * kBlock + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    static std::size_t room = 0;
    const std::size_t blocks = (n + kBlock - 1) / kBlock;
    if (blocks > room) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(float));
        room = blocks;
    }
    tiles<<<blocks, kBlock>>>(in, out, n, sums);
    if (blocks == 1) return;
    one_block<<<1, kBlock>>>(sums, blocks);
    add<<<blocks - 1, kBlock>>>(out, n, sums);
}
