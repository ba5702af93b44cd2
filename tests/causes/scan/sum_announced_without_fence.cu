// cause: missing_fence line 54 or 55
// task: inclusive_int
// The flag that a tile's total is there may become visible before the total itself: no fence stands between the two writes.
#include "interface.cuh"

namespace chained {

constexpr int kThreads = 512;

struct State {
    unsigned next_tile;
    unsigned padding[31];
};

__device__ int warp_scan(int x, int lane) {
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

__global__ void scan(const int* in, std::size_t n, int* out, State* state, int* ready, int* prefix) {
    __shared__ unsigned tile;
    __shared__ int warp_sums[kThreads / 32];
    __shared__ int before;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    // tiles in the order in which the blocks start
    if (threadIdx.x == 0) tile = atomicAdd(&state->next_tile, 1u);
    __syncthreads();

    const std::size_t i = std::size_t(tile) * kThreads + threadIdx.x;
    int x = warp_scan(i < n ? in[i] : 0, lane);
    if (lane == 31) warp_sums[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int w = warp_scan(lane < kThreads / 32 ? warp_sums[lane] : 0, lane);
        if (lane < kThreads / 32) warp_sums[lane] = w;
    }
    __syncthreads();
    if (warp > 0) x += warp_sums[warp - 1];

    if (threadIdx.x == kThreads - 1) {
        int left = 0;
        if (tile > 0) {
            while (atomicAdd(&ready[tile - 1], 0) == 0) {
            }
            __threadfence();
            left = prefix[tile - 1];
        }
        before = left;
        prefix[tile] = left + x;
        atomicExch(&ready[tile], 1);
    }
    __syncthreads();
    if (i < n) out[i] = x + before;
}

}  // namespace chained

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    using namespace chained;
    static char* memory = nullptr;
    static std::size_t tiles_allocated = 0;
    const std::size_t tiles = (n + kThreads - 1) / kThreads;
    if (tiles > tiles_allocated) {
        if (memory) cudaFree(memory);
        cudaMalloc(&memory, sizeof(State) + 2 * tiles * sizeof(int));
        tiles_allocated = tiles;
    }
    State* state = reinterpret_cast<State*>(memory);
    int* ready = reinterpret_cast<int*>(state + 1);
    int* prefix = ready + tiles;
    cudaMemset(memory, 0, sizeof(State) + tiles * sizeof(int));
    scan<<<unsigned(tiles), kThreads>>>(in, n, out, state, ready, prefix);
}
