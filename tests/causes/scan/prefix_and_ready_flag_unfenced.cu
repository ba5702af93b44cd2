// cause: missing_fence line 29
// task: inclusive_float
// A tile raises its ready flag right after it has stored its prefix; the next block may see the flag and an old prefix.
// One-pass scan: every tile waits for the prefix of the tile before it ("chained scan").
#include "interface.cuh"

void scan_inclusive_int(const int*, std::size_t, int*) { /* TODO */ }
void scan_exclusive_int(const int*, std::size_t, int*) { /* TODO */ }

namespace chained {

constexpr int kThreads = 128;
constexpr int kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;

struct Chain {
    unsigned* ticket;          // next tile to be given out
    unsigned* ready;           // per tile: 1 when its prefix is there
    volatile float* prefix;    // per tile: the sum of everything up to its end

    // Called by one thread. Returns the sum of all tiles before `tile`, hands on ours.
    __device__ float exchange(unsigned tile, float sum) {
        float before = 0;
        if (tile > 0) {
            while (atomicAdd(&ready[tile - 1], 0u) == 0u) __nanosleep(20);
            __threadfence();
            before = prefix[tile - 1];
        }
        prefix[tile] = before + sum;
        atomicExch(&ready[tile], 1u);
        return before;
    }
};

__global__ void scan(const float* in, std::size_t n, float* out, Chain chain) {
    __shared__ unsigned tile_shared;
    __shared__ float before_shared;
    __shared__ float warp_sum[kThreads / 32];

    // Blocks need not start in order, so the tiles are given out by a counter.
    if (threadIdx.x == 0) tile_shared = atomicAdd(chain.ticket, 1u);
    __syncthreads();
    const unsigned tile = tile_shared;
    const std::size_t first = std::size_t(tile) * kTile + threadIdx.x * kPerThread;

    float v[kPerThread];
    float run = 0;
    for (int k = 0; k < kPerThread; ++k) {
        if (first + k < n) run += in[first + k];
        v[k] = run;
    }

    // scan of the threads' sums: in the warp, then over the warps
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float inclusive = run;
    for (int d = 1; d < 32; d *= 2) {
        const float left = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += left;
    }
    float exclusive = __shfl_up_sync(0xffffffffu, inclusive, 1);
    if (lane == 0) exclusive = 0;
    if (lane == 31) warp_sum[warp] = inclusive;
    __syncthreads();
    for (int w = 0; w < warp; ++w) exclusive += warp_sum[w];

    if (threadIdx.x == kThreads - 1) before_shared = chain.exchange(tile, exclusive + run);
    __syncthreads();

    const float offset = before_shared + exclusive;
    for (int k = 0; k < kPerThread; ++k)
        if (first + k < n) out[first + k] = offset + v[k];
}

}  // namespace chained

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    using namespace chained;
    static unsigned* memory = nullptr;  // ticket, flags, prefixes
    static std::size_t capacity = 0;

    const std::size_t tiles = (n + kTile - 1) / kTile;
    if (tiles > capacity) {
        cudaFree(memory);
        cudaMalloc(&memory, (1 + 2 * tiles) * sizeof(unsigned));
        capacity = tiles;
    }
    cudaMemset(memory, 0, (1 + tiles) * sizeof(unsigned));
    const Chain chain{memory, memory + 1, reinterpret_cast<float*>(memory + 1 + tiles)};
    scan<<<unsigned(tiles), kThreads>>>(in, n, out, chain);
}

void scan_exclusive_float(const float*, std::size_t, float*) { /* TODO */ }
