// cause: array_too_small or state_kept_between_calls line 15
// task: inclusive_float
// the buffers for the sums get the size that the first call needs and never grow; shows when a later call has a larger n
#include "interface.cuh"
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Workspace {
    float* level[4] = {};
    std::size_t size = 0;

    void reserve(std::size_t n) {
        if (size != 0) return;
        size = n;
        std::size_t m = n;
        for (auto& p : level) {
            m = (m + 511) / 512;
            cudaMalloc(&p, m * sizeof(float));
        }
    }
};

__global__ void tileScan(const float* in, std::size_t n, float* out, float* sums) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ float warpSums[16];

    const std::size_t i = std::size_t(blockIdx.x) * 512 + block.thread_rank();
    float x = i < n ? in[i] : 0.0f;
    for (unsigned d = 1; d < warp.size(); d += d) {
        const float left = warp.shfl_up(x, d);
        x += warp.thread_rank() >= d ? left : 0.0f;
    }
    const unsigned w = block.thread_rank() / 32;
    if (warp.thread_rank() == 31) warpSums[w] = x;
    block.sync();

    float offset = 0.0f;
    for (unsigned k = 0; k < w; ++k) offset += warpSums[k];
    x += offset;
    if (i < n) out[i] = x;
    if (block.thread_rank() == 511) sums[blockIdx.x] = x;
}

__global__ void tileAdd(float* out, std::size_t n, const float* sums) {
    const std::size_t i = std::size_t(blockIdx.x) * 512 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

static void scanLevel(const float* in, std::size_t n, float* out, Workspace& ws, int depth) {
    const unsigned tiles = unsigned((n + 511) / 512);
    float* sums = ws.level[depth];
    tileScan<<<tiles, 512>>>(in, n, out, sums);
    if (tiles > 1) {
        scanLevel(sums, tiles, sums, ws, depth + 1);
        tileAdd<<<tiles, 512>>>(out, n, sums);
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static Workspace ws;
    ws.reserve(n);
    scanLevel(in, n, out, ws, 0);
}
