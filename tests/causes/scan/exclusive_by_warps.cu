// cause: array_too_small line 10
// task: exclusive_float
// The array for the sums of the warps has 8 places but a block has 16 warps; it shows in every block.
#include "interface.cuh"

const int kThreads = 512;

// Exclusive scan of one value per thread. total: the sum over the block, for all threads.
__device__ float exclusiveInBlock(float x, float* total) {
    __shared__ float warpTotal[8];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    float incl = x;
    for (int d = 1; d < 32; d <<= 1) {
        float y = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += y;
    }
    float excl = __shfl_up_sync(0xffffffffu, incl, 1);
    if (lane == 0) excl = 0.0f;
    if (lane == 31) warpTotal[warp] = incl;
    __syncthreads();

    float before = 0.0f, all = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) {
        if (w == warp) before = all;
        all += warpTotal[w];
    }
    __syncthreads();
    *total = all;
    return before + excl;
}

__global__ void scanTiles(const float* in, size_t n, float* out, float* sums) {
    size_t i = (size_t)blockIdx.x * kThreads + threadIdx.x;
    float total;
    float y = exclusiveInBlock(i < n ? in[i] : 0.0f, &total);
    if (i < n) out[i] = y;
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// one block goes over all sums, kThreads at a time
__global__ void scanSums(float* sums, size_t count) {
    float carry = 0.0f;
    for (size_t start = 0; start < count; start += kThreads) {
        size_t i = start + threadIdx.x;
        float total;
        float y = exclusiveInBlock(i < count ? sums[i] : 0.0f, &total);
        if (i < count) sums[i] = carry + y;
        carry += total;
    }
}

__global__ void addSums(float* out, size_t n, const float* sums) {
    size_t i = (size_t)blockIdx.x * kThreads + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    const size_t blocks = (n + kThreads - 1) / kThreads;
    float* sums = nullptr;
    cudaMalloc(&sums, blocks * sizeof(float));
    scanTiles<<<blocks, kThreads>>>(in, n, out, sums);
    scanSums<<<1, kThreads>>>(sums, blocks);
    addSums<<<blocks, kThreads>>>(out, n, sums);
    cudaFree(sums);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
