// cause: state_kept_between_calls line 52
// task: cubes
// atomicInc with gridDim.x as its limit leaves the counter at gridDim.x and not at 0, so in the next call no block, or the wrong one, takes itself for the last.
#include "interface.cuh"

// After the SDK's threadFenceReduction: one launch, the block that finishes last adds up the rest.

using i64 = long long;

__device__ unsigned int retired = 0;
__device__ volatile i64 g_partial[256];

template <unsigned int block_size>
__device__ i64 block_sum(i64 sum) {
    __shared__ i64 s_warp[32];
#pragma unroll
    for (int d = 16; d >= 1; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if ((threadIdx.x & 31) == 0) s_warp[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < block_size / 32 ? s_warp[threadIdx.x] : 0;
#pragma unroll
        for (int d = 16; d >= 1; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    }
    __syncthreads();
    return sum;
}

__device__ __forceinline__ i64 cube(int x) { return (i64)((unsigned long long)((i64)x * x) * (unsigned long long)(i64)x); }

template <unsigned int block_size>
__global__ void reduce_single_pass(const int* __restrict__ in, size_t n, i64* __restrict__ out) {
    unsigned long long mine = 0;
    const int4* in4 = reinterpret_cast<const int4*>(in);
    const size_t n4 = n / 4;
    const size_t grid_size = (size_t)block_size * gridDim.x;
    const size_t gid = (size_t)blockIdx.x * block_size + threadIdx.x;

    for (size_t i = gid; i < n4; i += grid_size) {
        const int4 v = in4[i];
        mine += cube(v.x) + (unsigned long long)cube(v.y);
        mine += cube(v.z) + (unsigned long long)cube(v.w);
    }
    if (gid < n % 4) mine += cube(in[4 * n4 + gid]);

    i64 sum = block_sum<block_size>((i64)mine);

    __shared__ bool am_last;
    if (threadIdx.x == 0) {
        g_partial[blockIdx.x] = sum;
        __threadfence();
        const unsigned int ticket = atomicInc(&retired, gridDim.x);
        am_last = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (am_last) {
        __threadfence();
        sum = 0;
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += block_size) sum += g_partial[i];
        sum = block_sum<block_size>(sum);
        if (threadIdx.x == 0) *out = sum;
    }
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    const size_t wanted = (n / 4 + 255) / 256;
    const unsigned int blocks = wanted < 1 ? 1 : wanted > 256 ? 256 : (unsigned int)wanted;
    reduce_single_pass<256><<<blocks, 256>>>(in, n, out);
}

void reduce_nested(const int*, std::size_t, long long*) {}
