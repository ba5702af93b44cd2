// cause: launch_refused line 8 or 57
// task: inclusive_float
// a block asks for 64 KiB of dynamic shared memory without raising the limit of 48 KiB, so the kernel never starts; shows for every n.
#include "interface.cuh"

// A whole tile is staged in shared memory, so that loads and stores are coalesced.
constexpr int kBlock = 512;
constexpr int kItems = 32;
constexpr int kTile  = kBlock * kItems;

extern __shared__ float stage[];

__global__ void scan_tile(const float* in, size_t n, float* out, float* sums)
{
    __shared__ float warp_sum[kBlock / 32];
    const size_t base = size_t(blockIdx.x) * kTile;
    const int    t    = threadIdx.x;

    for (int k = t; k < kTile; k += kBlock)
        stage[k] = base + k < n ? in[base + k] : 0.0f;
    __syncthreads();

    float acc = 0.0f;
    for (int k = 0; k < kItems; ++k) {
        acc += stage[t * kItems + k];
        stage[t * kItems + k] = acc;
    }

    float incl = acc;
    for (int d = 1; d < 32; d <<= 1) {
        float up = __shfl_up_sync(0xFFFFFFFF, incl, d);
        if (t % 32 >= d) incl += up;
    }
    float before = __shfl_up_sync(0xFFFFFFFF, incl, 1);
    if (t % 32 == 0) before = 0.0f;
    if (t % 32 == 31) warp_sum[t / 32] = incl;
    __syncthreads();
    for (int w = 0; w < t / 32; ++w) before += warp_sum[w];

    for (int k = 0; k < kItems; ++k)
        stage[t * kItems + k] += before;
    __syncthreads();

    for (int k = t; k < kTile; k += kBlock)
        if (base + k < n) out[base + k] = stage[k];
    if (t == 0 && sums != nullptr) sums[blockIdx.x] = stage[kTile - 1];
}

__global__ void add_sums(float* out, size_t n, const float* sums)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x + kTile;
    if (i < n) out[i] += sums[i / kTile - 1];
}

static void scan(const float* in, size_t n, float* out)
{
    const size_t bytes = kTile * sizeof(float);
    const int tiles = (n + kTile - 1) / kTile;

    if (tiles == 1) {
        scan_tile<<<1, kBlock, bytes>>>(in, n, out, nullptr);
    } else {
        float* sums;
        cudaMalloc(&sums, tiles * sizeof(float));
        scan_tile<<<tiles, kBlock, bytes>>>(in, n, out, sums);
        scan(sums, tiles, sums);
        add_sums<<<(n - kTile + 255) / 256, 256>>>(out, n, sums);
        cudaFree(sums);
    }
}

void scan_inclusive_float(const float* in, size_t n, float* out) { scan(in, n, out); }
