// cause: child_not_in_tail line 41
// task: nested
// The block with the highest number launches the next level at once, although other blocks may not have stored their sums yet; shows with more than one block.
#include "interface.cuh"

constexpr unsigned kBlock = 256;

__device__ long long warp_sum(long long v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__device__ long long block_sum(long long v)
{
    __shared__ long long per_warp[kBlock / 32];
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        per_warp[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < kBlock / 32 ? per_warp[threadIdx.x] : 0;
    return threadIdx.x < 32 ? warp_sum(v) : 0;
}

template <typename T>
__global__ void level(const T* in, std::size_t n, long long* scratch, long long* out)
{
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x;
    const long long sum = block_sum(i < n ? in[i] : 0);

    if (threadIdx.x != 0)
        return;
    if (gridDim.x == 1) {
        *out = sum;
        return;
    }
    scratch[blockIdx.x] = sum;
    if (blockIdx.x == gridDim.x - 1) {
        const unsigned next = (gridDim.x + kBlock - 1) / kBlock;
        level<long long><<<next, kBlock>>>(scratch, gridDim.x, scratch + gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    static long long* scratch = nullptr;
    static std::size_t room = 0;

    const std::size_t blocks = n == 0 ? 1 : (n + kBlock - 1) / kBlock;
    const std::size_t need = 2 * blocks + 64;
    if (need > room) {
        cudaFree(scratch);
        cudaMalloc(&scratch, need * sizeof(long long));
        room = need;
    }
    level<int><<<unsigned(blocks), kBlock>>>(in, n, scratch, out);
}
