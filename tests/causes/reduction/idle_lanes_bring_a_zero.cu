// cause: wrong_identity line 27
// task: max
// lanes of the last warp that have no partial result bring a 0: the maximum of negative numbers becomes 0
#include "interface.cuh"

#include <math_constants.h>

struct Larger {
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

template <class T, class Op> __device__ T over_warp(T v, Op op) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) v = op(v, __shfl_down_sync(0xffffffffu, v, d));
    return v;
}

// The result is valid in thread 0.
template <int Threads, class T, class Op> __device__ T over_block(T v, Op op) {
    constexpr int warps = Threads / 32;
    __shared__ T of_warp[warps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = over_warp(v, op);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? of_warp[lane] : T(0);
        v = over_warp(v, op);
    }
    return v;
}

template <int Threads, class Op>
__global__ void reduce_kernel(const float* in, std::size_t n, float start, Op op, float* out) {
    const std::size_t all = static_cast<std::size_t>(gridDim.x) * Threads;
    float best = start;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * Threads + threadIdx.x; i < n;
         i += all)
        best = op(best, in[i]);
    best = over_block<Threads>(best, op);
    if (threadIdx.x == 0) out[blockIdx.x] = best;
}

void reduce_max(const float* in, std::size_t n, float* out) {
    constexpr int threads = 256;
    constexpr unsigned most = 512;
    static float* partial = nullptr;
    if (partial == nullptr) cudaMalloc(&partial, most * sizeof(float));

    const std::size_t needed = (n + threads - 1) / threads;
    const unsigned blocks = needed == 0 ? 1 : needed < most ? static_cast<unsigned>(needed) : most;
    const float nothing = -INFINITY;
    reduce_kernel<threads><<<blocks, threads>>>(in, n, nothing, Larger{}, partial);
    reduce_kernel<threads><<<1, threads>>>(partial, blocks, nothing, Larger{}, out);
}
