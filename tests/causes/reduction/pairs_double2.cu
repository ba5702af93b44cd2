// cause: tail_ignored line 31 or 32
// task: sum
// The array is read as pairs of doubles, and nobody adds the last element when n is odd.
#include "interface.cuh"

#include <algorithm>

namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMaxBlocks = 528;

__device__ double warp_sum(double v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

// Sixteen bytes with each load, two loads under way.
__global__ void sum_wide(const double* __restrict__ in, std::size_t n, double* __restrict__ out) {
    const double2* pairs = reinterpret_cast<const double2*>(in);
    const std::size_t count = n / 2;
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;

    double even = 0.0;
    double odd = 0.0;
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(kThreads) + threadIdx.x; i < count; i += step) {
        const double2 p = pairs[i];
        even += p.x;
        odd += p.y;
    }
    double mine = even + odd;

    __shared__ double of_warp[kThreads / 32];
    mine = warp_sum(mine);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        double v = threadIdx.x < kThreads / 32 ? of_warp[threadIdx.x] : 0.0;
        v = warp_sum(v);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemsetAsync(out, 0, sizeof(double));
    const std::size_t wanted = (n / 2 + kThreads - 1) / kThreads;
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, kMaxBlocks));
    sum_wide<<<blocks, kThreads>>>(in, n, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
