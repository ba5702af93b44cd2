// cause: uninitialised_shared line 35
// task: max
// Warp 0 takes the maximum over 32 slots, of which the 8 warps of the block have set only 8.
#include "interface.cuh"
#include <cooperative_groups.h>
#include <limits>

namespace cg = cooperative_groups;

template <typename T>
struct Max {
    static __host__ __device__ T identity() { return -std::numeric_limits<T>::infinity(); }
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, typename Op>
__global__ void reduceKernel(const T* in, std::size_t n, T* out, T start, Op op)
{
    __shared__ T slot[32];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);

    T v = start;
    const std::size_t stride = std::size_t(gridDim.x) * block.size();
    for (std::size_t i = std::size_t(blockIdx.x) * block.size() + block.thread_rank(); i < n; i += stride)
        v = op(v, in[i]);

    for (int d = warp.size() / 2; d > 0; d /= 2)
        v = op(v, warp.shfl_down(v, d));
    if (warp.thread_rank() == 0)
        slot[warp.meta_group_rank()] = v;
    block.sync();

    if (warp.meta_group_rank() == 0) {
        v = slot[warp.thread_rank()];
        for (int d = 16; d > 0; d /= 2)
            v = op(v, warp.shfl_down(v, d));
        if (warp.thread_rank() == 0)
            out[blockIdx.x] = v;
    }
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    static float* temp = nullptr;
    constexpr int grid = 320;
    if (!temp)
        cudaMalloc(&temp, grid * sizeof(float));
    const float start = Max<float>::identity();
    reduceKernel<<<grid, 256>>>(in, n, temp, start, Max<float>());
    reduceKernel<<<1, 256>>>(temp, std::size_t(grid), out, start, Max<float>());
}
