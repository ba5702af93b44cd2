// cause: inclusive_exclusive line 59
// task: exclusive_int
// The blocks take the inclusive scan of the block sums as their offset, which contains their own sum: wrong everywhere.
#include "interface.cuh"

namespace scan_detail {

template <int N>
struct Tile {
    int left[N];
};

constexpr int kBlock = 512;
constexpr unsigned kAll = ~0u;

__device__ int warpInclusive(int x)
{
    int lane = threadIdx.x % warpSize;
    #pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(kAll, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

__device__ int blockInclusive(int x)
{
    __shared__ Tile<32> w;
    int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
    x = warpInclusive(x);
    if (lane == 31) w.left[wid] = x;
    __syncthreads();
    if (wid == 0) {
        int v = lane < (int)blockDim.x / 32 ? w.left[lane] : 0;
        w.left[lane] = warpInclusive(v);
    }
    __syncthreads();
    return wid ? x + w.left[wid - 1] : x;
}

__global__ void totals(const int* in, std::size_t n, int* sums)
{
    std::size_t i = blockIdx.x * (std::size_t)kBlock + threadIdx.x;
    int incl = blockInclusive(i < n ? in[i] : 0);
    if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = incl;
}

// one block walks over the sums
__global__ void scanTotals(int* sums, int count)
{
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int base = 0; base < count; base += blockDim.x) {
        int i = base + threadIdx.x;
        int v = i < count ? sums[i] : 0;
        int incl = blockInclusive(v);
        if (i < count) sums[i] = carry + incl;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) carry += incl;
        __syncthreads();
    }
}

__global__ void finish(const int* in, std::size_t n, const int* offset, int* out)
{
    std::size_t i = blockIdx.x * (std::size_t)kBlock + threadIdx.x;
    int x = i < n ? in[i] : 0;
    int incl = blockInclusive(x);
    if (i < n) out[i] = offset[blockIdx.x] + incl - x;
}

}  // namespace scan_detail

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    using namespace scan_detail;
    static int* sums = nullptr;
    static std::size_t capacity = 0;
    std::size_t blocks = (n + kBlock - 1) / kBlock;
    if (blocks > capacity) {
        if (sums) cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(int));
        capacity = blocks;
    }
    totals<<<blocks, kBlock>>>(in, n, sums);
    scanTotals<<<1, kBlock>>>(sums, (int)blocks);
    finish<<<blocks, kBlock>>>(in, n, sums, out);
}
