// cause: missing_warp_sync line 20 or 21
// task: inclusive_int
// in a step of the warp's scan a lane may add to its element before its neighbour has read it
#include "interface.cuh"

namespace {

constexpr unsigned warp_size = 32;
constexpr unsigned warps = 8;
constexpr unsigned tile = warp_size * warps;

// Kogge-Stone among the 32 elements of one warp, in shared memory.
// No __syncthreads: the warps have nothing to do with each other here.
template <class T>
__device__ void scan_warp(T* row) {
    const unsigned lane = threadIdx.x & (warp_size - 1);
    __syncwarp();
    for (unsigned d = 1; d < warp_size; d <<= 1) {
        T left{};
        if (lane >= d) left = row[lane - d];
        row[lane] += left;
        __syncwarp();
    }
}

// Scans the tile of this block and keeps its sum.
template <class T>
__global__ void scan_tiles(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T rows[warps][warp_size];
    __shared__ T totals[warp_size];

    const unsigned lane = threadIdx.x % warp_size;
    const unsigned w = threadIdx.x / warp_size;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * tile + threadIdx.x;

    rows[w][lane] = i < n ? in[i] : T{};
    scan_warp(rows[w]);
    if (lane == warp_size - 1) totals[w] = rows[w][lane];
    __syncthreads();

    // the first warp scans what the warps have
    if (w == 0) {
        if (lane >= warps) totals[lane] = T{};
        scan_warp(totals);
    }
    __syncthreads();

    T result = rows[w][lane];
    if (w > 0) result += totals[w - 1];
    if (i < n) out[i] = result;
    if (sums != nullptr && threadIdx.x == tile - 1) sums[blockIdx.x] = result;
}

template <class T>
__global__ void add_before(T* out, std::size_t n, const T* scanned_sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * tile + threadIdx.x;
    if (i < n) out[i] += scanned_sums[blockIdx.x];
}

template <class T>
void scan(const T* in, std::size_t n, T* out) {
    const std::size_t blocks = (n + tile - 1) / tile;
    if (blocks == 1) {
        scan_tiles<T><<<1, tile>>>(in, n, out, nullptr);
        return;
    }
    T* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    T* scanned = sums + blocks;
    scan_tiles<<<static_cast<unsigned>(blocks), tile>>>(in, n, out, sums);
    scan(static_cast<const T*>(sums), blocks, scanned);
    add_before<T><<<static_cast<unsigned>(blocks - 1), tile>>>(out, n, scanned);
    cudaFree(sums);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
