// cause: state_kept_between_calls line 86
// task: exclusive_int
// The tile counter and the flags are cleared only when the memory is allocated, so that the next call finds those of the call before.
#include "interface.cuh"

namespace {

constexpr unsigned int kThreads = 256;
constexpr unsigned int kItems = 4;
constexpr unsigned int kTile = kThreads * kItems;

struct Chain {
    unsigned int* counter;  // gives out the tiles in order
    unsigned int* flags;    // flags[k] is 1 when prefix[k] is there
    int* prefix;            // the sum of tiles 0 ... k
};

// Inclusive scan over the block's threads with two small steps of shuffles.
__device__ int block_scan(int v, int* of_warp) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 1; d < 32; d *= 2) {
        const int w = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += w;
    }
    if (lane == 31) of_warp[warp] = v;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; ++w) before += of_warp[w];
    return v + before;
}

__global__ void chained_scan(const int* in, std::size_t n, int* out, Chain chain) {
    __shared__ unsigned int tile;
    __shared__ int of_warp[kThreads / 32];
    __shared__ int before_tile;

    if (threadIdx.x == 0) tile = atomicAdd(chain.counter, 1u);
    __syncthreads();

    // a few elements per thread in registers
    const std::size_t first = std::size_t(tile) * kTile + threadIdx.x * kItems;
    int item[kItems];
    int sum = 0;
    for (unsigned int k = 0; k < kItems; ++k) {
        item[k] = first + k < n ? in[first + k] : 0;
        sum += item[k];
    }
    const int inclusive = block_scan(sum, of_warp);

    // the last thread knows the sum of the tile, and waits for the tile before
    if (threadIdx.x == kThreads - 1) {
        int before = 0;
        if (tile > 0) {
            while (atomicAdd(&chain.flags[tile - 1], 0u) == 0) {
            }
            __threadfence();
            before = *static_cast<volatile int*>(&chain.prefix[tile - 1]);
        }
        chain.prefix[tile] = before + inclusive;
        __threadfence();
        atomicExch(&chain.flags[tile], 1u);
        before_tile = before;
    }
    __syncthreads();

    int running = before_tile + inclusive - sum;  // ints wrap around, so this is exact
    for (unsigned int k = 0; k < kItems; ++k) {
        if (first + k < n) out[first + k] = running;
        running += item[k];
    }
}

}  // namespace

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static unsigned int* words = nullptr;  // counter and flags
    static int* prefix = nullptr;
    static unsigned int capacity = 0;

    const unsigned int tiles = unsigned((n + kTile - 1) / kTile);
    if (tiles > capacity) {
        cudaFree(words);
        cudaFree(prefix);
        cudaMalloc(&words, (tiles + 1) * sizeof(unsigned int));
        cudaMalloc(&prefix, tiles * sizeof(int));
        cudaMemset(words, 0, (tiles + 1) * sizeof(unsigned int));
        capacity = tiles;
    }
    chained_scan<<<tiles, kThreads>>>(in, n, out, Chain{words, words + 1, prefix});
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
