// cause: tree_level_missing line 21
// task: inclusive_int
// The way up stops before the last pair of halves is joined, so the last element of each full tile, and its sum, lack the first half.
#include "interface.cuh"

#include <algorithm>

// Inclusive scan after Brent and Kung. Each block handles 2 * THREADS elements.
static const int THREADS = 256;
static const int TILE = 2 * THREADS;

__global__ void brent_kung(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[TILE];
    const std::size_t base = static_cast<std::size_t>(blockIdx.x) * TILE;
    const int t = threadIdx.x;

    s[t] = base + t < n ? in[base + t] : 0;
    s[t + THREADS] = base + t + THREADS < n ? in[base + t + THREADS] : 0;

    // up
    for (int stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        const int index = (t + 1) * 2 * stride - 1;
        if (index < TILE) s[index] += s[index - stride];
    }
    // down
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        const int index = (t + 1) * 2 * stride - 1;
        if (index + stride < TILE) s[index + stride] += s[index];
    }
    __syncthreads();

    if (base + t < n) out[base + t] = s[t];
    if (base + t + THREADS < n) out[base + t + THREADS] = s[t + THREADS];
    if (sums != nullptr && t == 0) sums[blockIdx.x] = s[TILE - 1];
}

__global__ void add_before(int* out, std::size_t n, const int* sums) {
    if (blockIdx.x == 0) return;
    const int before = sums[blockIdx.x - 1];
    for (int k = threadIdx.x; k < TILE; k += blockDim.x) {
        const std::size_t i = static_cast<std::size_t>(blockIdx.x) * TILE + k;
        if (i < n) out[i] += before;
    }
}

// Scans n elements; the sums of the blocks are scanned by the same function.
static void scan(const int* in, std::size_t n, int* out) {
    const std::size_t blocks = (n + TILE - 1) / TILE;
    if (blocks == 1) {
        brent_kung<<<1, THREADS>>>(in, n, out, nullptr);
        return;
    }
    int* sums;
    int* scanned;
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMalloc(&scanned, blocks * sizeof(int));
    brent_kung<<<static_cast<unsigned>(blocks), THREADS>>>(in, n, out, sums);
    scan(sums, blocks, scanned);
    add_before<<<static_cast<unsigned>(blocks), THREADS>>>(out, n, scanned);
    cudaDeviceSynchronize();
    cudaFree(sums);
    cudaFree(scanned);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
