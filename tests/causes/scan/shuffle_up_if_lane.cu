// cause: wrong_shuffle_mask line 13
// task: inclusive_float
// The full mask names lanes that do not come to the shuffle because it stands in a condition; it shows in each warp.
#include "interface.cuh"

#define FULL 0xffffffff
#define THREADS 256
#define WARPS (THREADS / 32)

__device__ float warpScan(float v) {
    int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        if (lane >= d) v += __shfl_up_sync(FULL, v, d);
    }
    return v;
}

__device__ float blockScan(float v) {
    __shared__ float sums[WARPS];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    v = warpScan(v);
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; w++) v += sums[w];
    return v;
}

__global__ void scanBlocks(const float* in, size_t n, float* out, float* totals) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    float v = blockScan(i < n ? in[i] : 0.f);
    if (i < n) out[i] = v;
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = v;
}

__global__ void addTotals(float* out, size_t n, const float* totals) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += totals[blockIdx.x - 1];
}

static void scanAll(const float* in, size_t n, float* out) {
    size_t blocks = (n + THREADS - 1) / THREADS;
    float* totals;
    cudaMalloc(&totals, 2 * blocks * sizeof(float));
    scanBlocks<<<blocks, THREADS>>>(in, n, out, totals);
    if (blocks > 1) {
        scanAll(totals, blocks, totals + blocks);
        addTotals<<<blocks, THREADS>>>(out, n, totals + blocks);
    }
    cudaFree(totals);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) { scanAll(in, n, out); }

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
