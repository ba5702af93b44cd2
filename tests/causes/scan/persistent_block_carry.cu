// cause: missing_barrier line 62
// task: exclusive_float
// a block walks over several tiles and rewrites the warp totals while slow warps still read those of the tile before; shows from two tiles per block on
#include "interface.cuh"

#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocks = 48;

__device__ float warpInclusive(float x, int lane) {
    for (int d = 1; d < 32; d *= 2) {
        float y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

// pass 1: total of one contiguous chunk
__global__ void chunkTotals(const float* in, size_t n, size_t chunk, float* totals) {
    __shared__ float part[kWarps];
    size_t begin = blockIdx.x * chunk;
    size_t end = begin + chunk < n ? begin + chunk : n;
    float sum = 0.f;
    for (size_t i = begin + threadIdx.x; i < end; i += kThreads) sum += in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0.f;
        for (int w = 0; w < kWarps; ++w) t += part[w];
        totals[blockIdx.x] = t;
    }
}

// pass 2: scan of the chunk, tile by tile
__global__ void chunkScan(const float* in, size_t n, size_t chunk, const float* totals, float* out) {
    __shared__ float warpTotal[kWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    float carry = 0.f;
    for (unsigned b = 0; b < blockIdx.x; ++b) carry += totals[b];

    size_t begin = blockIdx.x * chunk;
    size_t end = begin + chunk < n ? begin + chunk : n;
    for (size_t base = begin; base < end; base += kThreads) {
        size_t i = base + threadIdx.x;
        float x = warpInclusive(i < end ? in[i] : 0.f, lane);
        if (lane == 31) warpTotal[warp] = x;
        __syncthreads();

        float before = carry;
        for (int w = 0; w < kWarps; ++w) {
            if (w < warp) before += warpTotal[w];
            carry += warpTotal[w];
        }
        float prev = __shfl_up_sync(0xffffffffu, x, 1);
        if (lane > 0) before += prev;
        if (i < end) out[i] = before;
    }
}

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* totals = nullptr;
    if (!totals) cudaMalloc(&totals, kBlocks * sizeof(float));
    size_t chunk = (n + kBlocks - 1) / kBlocks;
    chunkTotals<<<kBlocks, kThreads>>>(in, n, chunk, totals);
    chunkScan<<<kBlocks, kThreads>>>(in, n, chunk, totals, out);
}
