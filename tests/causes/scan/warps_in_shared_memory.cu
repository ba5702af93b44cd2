// cause: missing_warp_sync line 14 or 15
// task: inclusive_float
// A lane may write its sum before the lane d places further on has read the old value: nothing makes the warp wait between reading and writing.
#include "interface.cuh"

constexpr int kWarp = 32;
constexpr int kBlock = 256;

// Scan of 32 elements by the 32 lanes of one warp, each of which has stored its own in p[lane].
template <typename T>
__device__ void scan_warp(volatile T* p, int lane) {
    __syncwarp();
    for (int d = 1; d < kWarp; d *= 2) {
        T left = lane >= d ? p[lane - d] : T(0);
        p[lane] = p[lane] + left;
        __syncwarp();
    }
}

template <typename T>
__global__ void scan_blocks(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T s[kBlock];
    __shared__ T totals[kWarp];
    const int t = threadIdx.x, lane = t % kWarp, warp = t / kWarp;
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + t;

    s[t] = i < n ? in[i] : T(0);
    scan_warp(s + warp * kWarp, lane);
    __syncthreads();

    // the first warp scans the totals of all warps
    if (warp == 0) {
        totals[lane] = lane < kBlock / kWarp ? s[lane * kWarp + kWarp - 1] : T(0);
        scan_warp(totals, lane);
    }
    __syncthreads();

    T result = s[t];
    if (warp > 0) result += totals[warp - 1];
    if (i < n) out[i] = result;
    if (t == kBlock - 1 && sums != nullptr) sums[blockIdx.x] = result;
}

template <typename T>
__global__ void add_before(T* out, std::size_t n, const T* sums) {
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}

template <typename T>
void scan(const T* in, std::size_t n, T* out) {
    const std::size_t blocks = (n + kBlock - 1) / kBlock;
    if (blocks == 1) {
        scan_blocks<T><<<1, kBlock>>>(in, n, out, nullptr);
        return;
    }
    T* sums = nullptr;  // as the blocks leave them, and behind that their scan
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_blocks<T><<<unsigned(blocks), kBlock>>>(in, n, out, sums);
    scan<T>(sums, blocks, sums + blocks);
    add_before<T><<<unsigned(blocks), kBlock>>>(out, n, sums + blocks);
    cudaFree(sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, out); }

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
