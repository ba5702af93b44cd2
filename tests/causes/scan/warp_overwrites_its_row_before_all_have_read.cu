// cause: missing_warp_sync line 20
// task: exclusive_float
// in the next step a lane may overwrite its place of the row before the lane d places further on has read it
#include "interface.cuh"

namespace {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kPerThread = 4;
constexpr int kTile = kThreads * kPerThread;

/// The sum of v over all lanes before this one. No shuffles: `row` is 32 places of shared memory
/// that belong to the warp. A warp needs no __syncthreads() for this.
__device__ float before_in_warp(float* row, float v, float& sum_of_warp) {
    const int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        row[lane] = v;
        __syncwarp();
        const float left = lane >= d ? row[lane - d] : 0.0f;
        v += left;
    }
    __syncwarp();
    row[lane] = v;
    __syncwarp();
    sum_of_warp = row[31];
    return lane > 0 ? row[lane - 1] : 0.0f;
}

__global__ void scan_tiles(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float rows[kWarps][32];
    __shared__ float warp_sums[kWarps];
    const int warp = threadIdx.x / 32;
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x * kPerThread;

    // four elements in registers
    float x[kPerThread];
    float own = 0.0f;
    for (int k = 0; k < kPerThread; ++k) {
        x[k] = begin + k < n ? in[begin + k] : 0.0f;
        own += x[k];
    }

    float sum_of_warp;
    float before = before_in_warp(rows[warp], own, sum_of_warp);
    if (threadIdx.x % 32 == 0) warp_sums[warp] = sum_of_warp;
    __syncthreads();

    float first = 0.0f;
    for (int w = 0; w < warp; ++w) first += warp_sums[w];
    before += first;

    for (int k = 0; k < kPerThread; ++k) {
        if (begin + k < n) out[begin + k] = before;
        before += x[k];
    }
    if (threadIdx.x == kThreads - 1) sums[blockIdx.x] = before;
}

__global__ void add_sums(float* out, std::size_t n, const float* sums) {
    const float before = sums[blockIdx.x];
    const std::size_t base = static_cast<std::size_t>(blockIdx.x) * kTile;
    for (int k = threadIdx.x; k < kTile; k += kThreads) {
        if (base + k < n) out[base + k] += before;
    }
}

unsigned tiles_for(std::size_t n) { return static_cast<unsigned>((n + kTile - 1) / kTile); }

void scan(const float* in, std::size_t n, float* out, float* sums) {
    const unsigned tiles = tiles_for(n);
    scan_tiles<<<tiles, kThreads>>>(in, n, out, sums);
    if (tiles > 1) {
        scan(sums, tiles, sums, sums + tiles);
        add_sums<<<tiles, kThreads>>>(out, n, sums);
    }
}

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    static std::size_t places = 0;
    const std::size_t wanted = 2 * static_cast<std::size_t>(tiles_for(n)) + 4;
    if (wanted > places) {
        cudaFree(sums);
        cudaMalloc(&sums, wanted * sizeof(float));
        places = wanted;
    }
    scan(in, n, out, sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
