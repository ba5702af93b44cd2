// cause: wrong_identity line 28
// task: max
// Lanes without a warp enter the second shuffle tree with 0 instead of minus infinity; shows when all elements are negative, and for n = 0.
#include "interface.cuh"

#include <cmath>

template <typename T, typename Op>
__device__ T warp_reduce(T v, Op op) {
#pragma unroll
    for (int d = warpSize / 2; d > 0; d >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, d));
    return v;
}

struct Larger {
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

template <typename T, typename Op>
__device__ T block_reduce(T v, Op op) {
    __shared__ T of_warp[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    v = warp_reduce(v, op);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? of_warp[lane] : T(0);
        v = warp_reduce(v, op);
    }
    return v;  // thread 0 has it
}

__global__ void max_kernel(const float* in, std::size_t n, float* out) {
    const Larger larger;
    float best = -INFINITY;
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        best = larger(best, in[i]);
    best = block_reduce(best, larger);
    if (threadIdx.x == 0) out[blockIdx.x] = best;
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}

void reduce_max(const float* in, std::size_t n, float* out) {
    static float* per_block = [] {
        float* p = nullptr;
        cudaMalloc(&p, 256 * sizeof(float));
        return p;
    }();
    max_kernel<<<256, 256>>>(in, n, per_block);
    max_kernel<<<1, 256>>>(per_block, 256, out);
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
