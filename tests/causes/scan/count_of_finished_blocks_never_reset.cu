// cause: state_kept_between_calls line 52
// task: inclusive_int
// the counter of finished blocks is not set back, so no block of a later call finds itself the last and scans the sums
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr int kTile = kThreads * kItems;
constexpr unsigned kAll = 0xffffffffu;

__device__ unsigned int blocks_done = 0;

/// Inclusive scan of one value per thread over the block.
__device__ int block_scan(int v) {
    __shared__ int of_warp[kThreads / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (int d = 1; d < 32; d *= 2) {
        const int left = __shfl_up_sync(kAll, v, d);
        if (lane >= d) v += left;
    }
    __syncthreads();  // the array may still be in use from the call before
    if (lane == 31) of_warp[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; ++w) v += of_warp[w];
    return v;
}

/// Sum of each tile. The block that is ready last turns the sums into what comes before each tile,
/// which saves a launch.
__global__ void sum_tiles(const int* in, std::size_t n, int* sums) {
    __shared__ bool is_last;
    __shared__ int total;

    const std::size_t base = static_cast<std::size_t>(blockIdx.x) * kTile;
    int sum = 0;
    for (int k = 0; k < kItems; ++k) {
        const std::size_t i = base + k * kThreads + threadIdx.x;
        if (i < n) sum += in[i];
    }
    sum = block_scan(sum);
    if (threadIdx.x == kThreads - 1) {
        sums[blockIdx.x] = sum;
        __threadfence();  // the sum first, then the counter
        is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;

    __threadfence();
    volatile int* all = sums;
    int before = 0;
    for (unsigned first = 0; first < gridDim.x; first += kThreads) {
        const unsigned b = first + threadIdx.x;
        const int own = b < gridDim.x ? all[b] : 0;
        const int upto = block_scan(own);
        if (b < gridDim.x) all[b] = before + upto - own;
        if (threadIdx.x == kThreads - 1) total = upto;
        __syncthreads();
        before += total;
        __syncthreads();
    }
}

/// Scans each tile again, now with what comes before it.
__global__ void scan_tiles(const int* in, std::size_t n, const int* before, int* out) {
    const std::size_t base =
        static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x * static_cast<std::size_t>(kItems);
    int item[kItems];
    int sum = 0;
    for (int k = 0; k < kItems; ++k) {
        sum += base + k < n ? in[base + k] : 0;
        item[k] = sum;
    }
    const int offset = before[blockIdx.x] + block_scan(sum) - sum;
    for (int k = 0; k < kItems; ++k) {
        if (base + k < n) out[base + k] = offset + item[k];
    }
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* sums = nullptr;
    static unsigned capacity = 0;
    const auto tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
    if (tiles > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, tiles * sizeof(int));
        capacity = tiles;
    }
    sum_tiles<<<tiles, kThreads>>>(in, n, sums);
    scan_tiles<<<tiles, kThreads>>>(in, n, sums, out);
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
