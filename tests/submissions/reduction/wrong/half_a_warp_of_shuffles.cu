// expect: max=wrong_answer
// The shuffles start at 8 instead of 16: lanes 16 to 31 never reach lane 0.
#include "interface.cuh"

__global__ void reduce(const float* in, std::size_t n, float* out) {
    __shared__ float of_warp[32];
    float v = -INFINITY;
    for (std::size_t i = threadIdx.x; i < n; i += 1024) v = fmaxf(v, in[i]);
    for (int d = 8; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffff, v, d));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    v = of_warp[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffff, v, d));
    if (threadIdx.x == 0) *out = v;
}

void reduce_max(const float* in, std::size_t n, float* out) { reduce<<<1, 1024>>>(in, n, out); }
