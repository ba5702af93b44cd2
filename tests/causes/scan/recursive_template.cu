// cause: inclusive_exclusive line 84
// task: inclusive_int
// The recursion passes the kind of the scan on to the sums of the blocks, which need an exclusive scan always; the inclusive scan is wrong from the first block on.
#include "interface.cuh"

#include <vector>

namespace {

constexpr int kWarp = 32;
constexpr int kTile = 512;
constexpr unsigned kAll = 0xffff'ffffu;

template <typename T>
__device__ T scan_warp(T x) {
    const unsigned lane = threadIdx.x % kWarp;
    for (unsigned d = 1; d < kWarp; d *= 2) {
        const T y = __shfl_up_sync(kAll, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

template <bool Inclusive, typename T>
__global__ void scan_tile(const T* in, std::size_t n, T* out, T* totals) {
    constexpr int warps = kTile / kWarp;
    __shared__ T before[warps];

    const std::size_t i = std::size_t{blockIdx.x} * kTile + threadIdx.x;
    const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;

    T x = i < n ? in[i] : T{};
    T y = scan_warp(x);
    if (lane == kWarp - 1) before[warp] = y;
    __syncthreads();

    if (warp == 0) {
        const T z = scan_warp(lane < warps ? before[lane] : T{});
        if (lane < warps) before[lane] = z;
    }
    __syncthreads();

    if constexpr (!Inclusive) {
        y = __shfl_up_sync(kAll, y, 1);
        if (lane == 0) y = T{};
    }
    if (warp > 0) y += before[warp - 1];
    if (i < n) out[i] = y;
    if (threadIdx.x == 0) totals[blockIdx.x] = before[warps - 1];
}

template <typename T>
__global__ void add_offsets(T* out, std::size_t n, const T* offsets) {
    const std::size_t i = std::size_t{blockIdx.x} * kTile + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}

// Memory for level k of the recursion stays allocated until a larger array comes.
template <typename T>
T* scratch(std::size_t level, std::size_t count) {
    struct Buffer {
        T* data = nullptr;
        std::size_t size = 0;
    };
    static std::vector<Buffer> buffers;
    if (buffers.size() <= level) buffers.resize(level + 1);
    Buffer& b = buffers[level];
    if (b.size < count) {
        cudaFree(b.data);
        cudaMalloc(&b.data, count * sizeof(T));
        b.size = count;
    }
    return b.data;
}

template <bool Inclusive, typename T>
void scan(const T* in, std::size_t n, T* out, std::size_t level = 0) {
    const std::size_t blocks = (n + kTile - 1) / kTile;
    T* totals = scratch<T>(level, 2 * blocks);
    T* offsets = totals + blocks;

    scan_tile<Inclusive><<<static_cast<unsigned>(blocks), kTile>>>(in, n, out, totals);
    if (blocks == 1) return;
    scan<Inclusive>(totals, blocks, offsets, level + 1);
    add_offsets<<<static_cast<unsigned>(blocks), kTile>>>(out, n, offsets);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<true>(in, n, out); }
void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<false>(in, n, out); }
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
