// cause: integer_overflow line 10
// task: cubes
// x * x * x is computed in int and only then becomes the 64-bit result of the functor: wrong from 1291 on.
#include "interface.cuh"

typedef long long i64;

// transform-reduce: out = f(in[0]) + f(in[1]) + ...
struct Cube {
    __device__ __forceinline__ i64 operator()(int x) const { return x * x * x; }
};

__device__ __forceinline__ i64 warpSum(i64 v) {
#pragma unroll
    for (int mask = 16; mask >= 1; mask >>= 1) v += __shfl_xor_sync(0xFFFFFFFF, v, mask);
    return v;
}

template <int WARPS, class F>
__global__ void __launch_bounds__(WARPS * 32)
    transformReduce(const int* __restrict__ in, size_t n, unsigned long long* out, F f) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const size_t step = (size_t)gridDim.x * WARPS * 32;

    // two running sums, so that two loads are under way
    i64 s0 = 0, s1 = 0;
    size_t i = (size_t)blockIdx.x * WARPS * 32 + threadIdx.x;
    for (; i + step < n; i += 2 * step) {
        s0 += f(in[i]);
        s1 += f(in[i + step]);
    }
    if (i < n) s0 += f(in[i]);

    const i64 sum = warpSum(s0 + s1);

    __shared__ i64 perWarp[WARPS];
    if (lane == 0) perWarp[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        i64 total = lane < WARPS ? perWarp[lane] : 0;
        total = warpSum(total);
        if (lane == 0) atomicAdd(out, (unsigned long long)total);
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    constexpr int WARPS = 8;
    cudaMemsetAsync(out, 0, sizeof(*out));
    if (n == 0) return;

    size_t blocks = (n + WARPS * 32 * 8 - 1) / (WARPS * 32 * 8);
    if (blocks > 1056) blocks = 1056;
    transformReduce<WARPS>
        <<<(unsigned)blocks, WARPS * 32>>>(in, n, (unsigned long long*)out, Cube{});
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
