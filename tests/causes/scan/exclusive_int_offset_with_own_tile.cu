// cause: inclusive_exclusive line 60
// task: exclusive_int
// The offset of a tile is the sum up to and including this tile instead of what comes before it: every element is too large by its tile's sum.

#include "interface.cuh"

// Reduce, scan the sums, scan again (three launches, the input is read twice).

namespace {

constexpr int kThreads = 128;
constexpr int kItems = 8;                     // elements per thread
constexpr int kTile = kThreads * kItems;
constexpr int kScanThreads = 512;             // of the one block in the middle

// Inclusive scan over the block; total gets the sum of all threads.
template <int N>
__device__ int block_scan(int v, int& total) {
    __shared__ int warp_sum[N / 32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    for (int d = 1; d < 32; d <<= 1) {
        const int up = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += up;
    }
    if (lane == 31) warp_sum[warp] = v;
    __syncthreads();

    int before = 0;
    total = 0;
    for (int w = 0; w < N / 32; ++w) {
        if (w < warp) before += warp_sum[w];
        total += warp_sum[w];
    }
    __syncthreads();  // warp_sum is used again by the next call
    return before + v;
}

__global__ void reduce_tiles(const int* in, std::size_t n, int* tile_sum) {
    const std::size_t start = std::size_t(blockIdx.x) * kTile;
    int sum = 0;
    for (int q = 0; q < kItems; ++q) {
        const std::size_t i = start + q * kThreads + threadIdx.x;
        if (i < n) sum += in[i];
    }
    int total;
    block_scan<kThreads>(sum, total);
    if (threadIdx.x == 0) tile_sum[blockIdx.x] = total;
}

// one block; turns the sums of the tiles into the offsets at which the tiles start
__global__ void sums_to_offsets(int* tile_sum, int tiles) {
    int carry = 0;
    for (int first = 0; first < tiles; first += kScanThreads) {
        const int i = first + threadIdx.x;
        const int mine = i < tiles ? tile_sum[i] : 0;
        int total;
        const int scanned = block_scan<kScanThreads>(mine, total);
        if (i < tiles) tile_sum[i] = carry + scanned;
        carry += total;
    }
}

__global__ void scan_tiles(const int* in, std::size_t n, const int* offset, int* out) {
    const std::size_t start = std::size_t(blockIdx.x) * kTile + threadIdx.x * kItems;
    int item[kItems];
    int sum = 0;
    for (int q = 0; q < kItems; ++q) {
        item[q] = start + q < n ? in[start + q] : 0;
        sum += item[q];
    }
    int total;
    int running = offset[blockIdx.x] + block_scan<kThreads>(sum, total) - sum;
    for (int q = 0; q < kItems; ++q) {
        if (start + q < n) out[start + q] = running;
        running += item[q];
    }
}

}  // namespace

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* offsets = nullptr;
    static int capacity = 0;

    const int tiles = int((n + kTile - 1) / kTile);
    if (tiles > capacity) {
        if (offsets) cudaFree(offsets);
        cudaMalloc(&offsets, tiles * sizeof(int));
        capacity = tiles;
    }
    reduce_tiles<<<tiles, kThreads>>>(in, n, offsets);
    sums_to_offsets<<<1, kScanThreads>>>(offsets, tiles);
    scan_tiles<<<tiles, kThreads>>>(in, n, offsets, out);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
