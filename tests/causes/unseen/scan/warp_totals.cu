// cause: array_too_small line 8
// task: exclusive_float
// A block of 1024 threads has 32 warps, but there are slots for the totals of 16 only; shows in each block (warps 16 to 31 write beyond the array).
#include "interface.cuh"

static const unsigned FULL = 0xffffffffu;
static const int block_size = 1024;
static const int warps = block_size / 64;

__device__ __forceinline__ float warp_scan(float x, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        float y = __shfl_up_sync(FULL, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

// exclusive prefix of x over the block; *total = the block's sum
__device__ float block_exclusive(float x, float* total)
{
    __shared__ float warp_total[warps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    float inc = warp_scan(x, lane);
    float exc = __shfl_up_sync(FULL, inc, 1);
    if (lane == 0) exc = 0.0f;
    if (lane == 31) warp_total[warp] = inc;
    __syncthreads();

    if (warp == 0) {
        float w = lane < block_size / 32 ? warp_total[lane] : 0.0f;
        w = warp_scan(w, lane);
        if (lane < block_size / 32) warp_total[lane] = w;
    }
    __syncthreads();

    *total = warp_total[block_size / 32 - 1];
    return warp == 0 ? exc : warp_total[warp - 1] + exc;
}

__global__ void __launch_bounds__(block_size)
k_tiles(const float* __restrict__ in, size_t n, float* __restrict__ out, float* __restrict__ sums)
{
    size_t i = blockIdx.x * (size_t)block_size + threadIdx.x;
    float total;
    float e = block_exclusive(i < n ? in[i] : 0.0f, &total);
    if (i < n) out[i] = e;
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// one block, all sums, in place
__global__ void __launch_bounds__(block_size) k_sums(float* sums, size_t count)
{
    float carry = 0.0f;
    for (size_t base = 0; base < count; base += block_size) {
        size_t i = base + threadIdx.x;
        float total;
        float e = block_exclusive(i < count ? sums[i] : 0.0f, &total);
        if (i < count) sums[i] = carry + e;
        carry += total;
        __syncthreads();
    }
}

__global__ void __launch_bounds__(block_size) k_add(float* out, size_t n, const float* sums)
{
    size_t i = blockIdx.x * (size_t)block_size + threadIdx.x;
    if (i < n) out[i] = sums[blockIdx.x] + out[i];
}

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    static float* sums;
    static size_t room;
    const size_t blocks = (n + block_size - 1) / block_size;
    if (room < blocks) {
        if (sums) cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof *sums);
        room = blocks;
    }
    k_tiles<<<(unsigned)blocks, block_size>>>(in, n, out, sums);
    k_sums<<<1, block_size>>>(sums, blocks);
    k_add<<<(unsigned)blocks, block_size>>>(out, n, sums);
}
