// cause: uninitialised_shared line 27
// task: sum
// The block has 8 warps, which leave 8 sums in an array of 32, but all 32 lanes of the first warp read their slot:
// 24 slots that nobody has written are added to the result.
#include "interface.cuh"

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 528;

__device__ double warp_sum(double x)
{
    for (int d = 16; d > 0; d >>= 1)
        x += __shfl_down_sync(0xffffffffu, x, d);
    return x;
}

__device__ double block_sum(double x)
{
    __shared__ double per_warp[32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    x = warp_sum(x);
    if (lane == 0) per_warp[warp] = x;
    __syncthreads();

    if (warp == 0) x = warp_sum(per_warp[lane]);
    return x;
}

__global__ void sum_kernel(const double* in, std::size_t n, double* out)
{
    double mine = 0.0;
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += step)
        mine += in[i];

    mine = block_sum(mine);
    if (threadIdx.x == 0) atomicAdd(out, mine);
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    cudaMemset(out, 0, sizeof(double));
    if (n == 0) return;
    std::size_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    sum_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(in, n, out);
}
