// cause: inclusive_exclusive line 56
// task: inclusive_float
// the tile sums are scanned inclusively, so every tile also adds its own sum; shows as soon as there are two tiles.
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum class Kind { Inclusive, Exclusive };

constexpr int TILE = 256;

template <Kind K>
__global__ void scanTile(const float* src, size_t n, float* dst, float* sums)
{
    auto block = cg::this_thread_block();
    __shared__ float ping[TILE], pong[TILE];
    const int t = block.thread_rank();
    const size_t g = size_t(blockIdx.x) * TILE + t;

    float* a = ping;
    float* b = pong;
    a[t] = g < n ? src[g] : 0.0f;
    block.sync();
    for (int d = 1; d < TILE; d += d) {
        b[t] = t >= d ? a[t] + a[t - d] : a[t];
        block.sync();
        float* c = a; a = b; b = c;
    }

    if (g < n) {
        if constexpr (K == Kind::Inclusive) dst[g] = a[t];
        else dst[g] = t == 0 ? 0.0f : a[t - 1];
    }
    if (t == TILE - 1 && sums) sums[blockIdx.x] = a[t];
}

__global__ void addOffset(float* dst, size_t n, const float* offset)
{
    const size_t g = size_t(blockIdx.x) * TILE + threadIdx.x;
    if (g < n) dst[g] += offset[blockIdx.x];
}

template <Kind K>
void scan(const float* src, size_t n, float* dst)
{
    const size_t tiles = (n + TILE - 1) / TILE;
    if (tiles < 2) {
        scanTile<K><<<1, TILE>>>(src, n, dst, nullptr);
        return;
    }
    float *sums, *offset;
    cudaMalloc(&sums, tiles * sizeof(float));
    cudaMalloc(&offset, tiles * sizeof(float));
    scanTile<K><<<tiles, TILE>>>(src, n, dst, sums);
    scan<K>(sums, tiles, offset);
    addOffset<<<tiles, TILE>>>(dst, n, offset);
    cudaFree(offset);
    cudaFree(sums);
}

void scan_inclusive_float(const float* in, size_t n, float* out)
{
    scan<Kind::Inclusive>(in, n, out);
}
