// cause: inclusive_exclusive line 40
// task: exclusive_float
// The sums of the warps have been scanned inclusively, so a warp that adds the entry of its own number adds its own elements too.
#include "interface.cuh"

static const int WARPS = 8;
static const int THREADS = 32 * WARPS;

__device__ float inclusive_in_warp(float v) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        float left = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += left;
    }
    return v;
}

__global__ void scan_tile(const float* in, std::size_t n, float* out, float* block_sums) {
    __shared__ float warp_sums[WARPS];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    std::size_t i = blockIdx.x * (std::size_t)THREADS + threadIdx.x;

    float x = i < n ? in[i] : 0.0f;
    float inclusive = inclusive_in_warp(x);
    if (lane == 31) warp_sums[warp] = inclusive;
    __syncthreads();

    // the first warp scans the sums of all warps
    if (warp == 0) {
        float s = lane < WARPS ? warp_sums[lane] : 0.0f;
        s = inclusive_in_warp(s);
        if (lane < WARPS) warp_sums[lane] = s;
    }
    __syncthreads();

    // exclusive: what the lane to the left has
    float exclusive = __shfl_up_sync(0xffffffff, inclusive, 1);
    if (lane == 0) exclusive = 0.0f;
    exclusive += warp_sums[warp];

    if (i < n) out[i] = exclusive;
    if (threadIdx.x == 0) block_sums[blockIdx.x] = warp_sums[WARPS - 1];
}

__global__ void add_block_offset(float* out, std::size_t n, const float* offsets) {
    std::size_t i = blockIdx.x * (std::size_t)THREADS + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}

// scratch has room for the sums of all levels and their scans
static void scan(const float* in, std::size_t n, float* out, float* scratch) {
    std::size_t blocks = (n + THREADS - 1) / THREADS;
    float* sums = scratch;
    float* offsets = scratch + blocks;
    scan_tile<<<(unsigned)blocks, THREADS>>>(in, n, out, sums);
    if (blocks > 1) {
        scan(sums, blocks, offsets, scratch + 2 * blocks);
        add_block_offset<<<(unsigned)blocks, THREADS>>>(out, n, offsets);
    }
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* scratch = nullptr;
    static std::size_t size = 0;
    std::size_t needed = n / 64 + 64;
    if (needed > size) {
        if (scratch != nullptr) cudaFree(scratch);
        cudaMalloc(&scratch, needed * sizeof(float));
        size = needed;
    }
    scan(in, n, out, scratch);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
