// cause: wrong_identity line 29
// task: max
// Lanes of the first warp for which there is no warp contribute 0 to the second step, which is larger than the largest of negative numbers.
#include "interface.cuh"

#include <cmath>

namespace {

constexpr int block_size = 256;
constexpr int warps_per_block = block_size / 32;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ float warp_max(float v) {
    for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(all_lanes, v, d));
    return v;
}

__device__ float block_max(float v) {
    __shared__ float of_warp[warps_per_block];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    v = warp_max(v);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < warps_per_block ? of_warp[lane] : 0.0f;
        v = warp_max(v);
    }
    return v;  // in warp 0
}

__global__ void max_kernel(const float* in, std::size_t n, float* result) {
    float largest = -INFINITY;
    const std::size_t step = std::size_t(gridDim.x) * block_size;
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n; i += step) {
        largest = fmaxf(largest, in[i]);
    }
    largest = block_max(largest);
    if (threadIdx.x == 0) result[blockIdx.x] = largest;
}

}  // namespace

void reduce_max(const float* in, std::size_t n, float* out) {
    constexpr int blocks = 256;
    static float* of_block = nullptr;
    if (of_block == nullptr) cudaMalloc(&of_block, blocks * sizeof(float));
    max_kernel<<<blocks, block_size>>>(in, n, of_block);
    max_kernel<<<1, block_size>>>(of_block, blocks, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
