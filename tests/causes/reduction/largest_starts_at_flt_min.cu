// cause: wrong_identity line 12
// task: max
// FLT_MIN is the smallest positive float, not the most negative one: where all elements are negative (or there are none) the result is 1.2e-38.
#include "interface.cuh"
#include <cooperative_groups.h>
#include <cfloat>
#include <cmath>

namespace cg = cooperative_groups;

struct Larger {
    __host__ __device__ static float neutral() { return FLT_MIN; }
    __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

template <class T, class Op>
__global__ void fold(const T* in, size_t n, T* out, Op op) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ T of_warp[32];

    T v = Op::neutral();
    size_t i = (size_t)blockIdx.x * blockDim.x + block.thread_rank();
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) v = op(v, in[i]);

    for (int d = warp.size() / 2; d > 0; d /= 2) v = op(v, warp.shfl_down(v, d));
    if (warp.thread_rank() == 0) of_warp[block.thread_rank() / 32] = v;
    block.sync();

    if (block.thread_rank() < 32) {
        v = warp.thread_rank() < blockDim.x / 32 ? of_warp[warp.thread_rank()] : Op::neutral();
        for (int d = warp.size() / 2; d > 0; d /= 2) v = op(v, warp.shfl_down(v, d));
        if (warp.thread_rank() == 0) out[blockIdx.x] = v;
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    const int grid = 300;
    static float* tmp = nullptr;
    if (tmp == nullptr) cudaMalloc(&tmp, grid * sizeof(float));
    fold<<<grid, 256>>>(in, n, tmp, Larger());
    fold<<<1, 512>>>(tmp, grid, out, Larger());
}
