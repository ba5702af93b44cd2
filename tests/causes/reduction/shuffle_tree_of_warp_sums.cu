// cause: wrong_shuffle_mask line 32
// task: sum
// The last tree is done by 8 lanes, but the mask of its shuffles names all 32, so each lane waits for lanes that never come.
#include "interface.cuh"

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

__global__ void set_zero(double* out) { *out = 0.0; }

__global__ void sum_kernel(const double* __restrict__ in, std::size_t n, double* out) {
    __shared__ double warp_sum[kWarps];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    // every thread adds up its own elements in a register
    double v = 0.0;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        v += in[i];

    // tree within the warp
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    if (lane == 0) warp_sum[warp] = v;
    __syncthreads();

    // tree over the sums of the warps
    if (threadIdx.x < kWarps) {
        v = warp_sum[threadIdx.x];
        for (int offset = kWarps / 2; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffffu, v, offset);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    set_zero<<<1, 1>>>(out);
    if (n == 0) return;
    std::size_t blocks = (n + kThreads * 8 - 1) / (kThreads * 8);
    if (blocks > 1024) blocks = 1024;
    sum_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(in, n, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
