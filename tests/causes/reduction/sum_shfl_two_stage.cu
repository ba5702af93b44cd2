// cause: missing_barrier line 23
// task: sum
// The sums of the warps are read by warp 0 before the other warps have written them: wrong or racing whenever a block has more than one warp.
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;

__device__ double warpSum(double v) {
    for (int off = 16; off > 0; off >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

// result only valid in thread 0
__device__ double blockSum(double v) {
    __shared__ double warps[32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    v = warpSum(v);
    if (lane == 0) warps[warp] = v;

    const int nWarps = (blockDim.x + 31) / 32;
    v = (threadIdx.x < nWarps) ? warps[lane] : 0.0;
    if (warp == 0) v = warpSum(v);
    return v;
}

__global__ void sumKernel(const double* __restrict__ in, std::size_t n, double* out) {
    double acc = 0.0;
    std::size_t step = (std::size_t)blockDim.x * gridDim.x;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += step)
        acc += in[i];
    acc = blockSum(acc);
    if (threadIdx.x == 0) atomicAdd(out, acc);
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof(double));
    if (n == 0) return;
    // about 8 elements per thread, otherwise too many atomics
    std::size_t blocks = (n + kThreads * 8 - 1) / (kThreads * 8);
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    sumKernel<<<(unsigned)blocks, kThreads>>>(in, n, out);
}
