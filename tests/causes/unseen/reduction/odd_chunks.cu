// cause: misaligned line 20
// task: sum
// The chunk of a block may begin at an odd element, where a double2 must not be loaded; shows as soon as the chunks have an odd length and there is more than one block.
#include "interface.cuh"

#include <algorithm>

namespace lab3 {

constexpr int kThreads = 128;
constexpr int kMaxBlocks = 528;

struct Range {
    std::size_t begin, end;
};

// Every block owns one contiguous piece of the input.
__device__ Range pieceOf(unsigned block, unsigned blocks, std::size_t n)
{
    std::size_t per = (n + blocks - 1) / blocks;
    Range r;
    r.begin = per * block < n ? per * block : n;
    r.end = r.begin + per < n ? r.begin + per : n;
    return r;
}

__device__ double blockSum(double v)
{
    __shared__ double warps[kThreads / 32];
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    double all = 0;
    for (int w = 0; w < kThreads / 32; ++w)
        all += warps[w];
    return all;
}

__global__ void pieces(const double* __restrict__ in, std::size_t n, double* __restrict__ partial)
{
    const Range r = pieceOf(blockIdx.x, gridDim.x, n);
    const std::size_t pairs = (r.end - r.begin) / 2;
    const double2* wide = reinterpret_cast<const double2*>(in + r.begin);

    double v = 0;
    for (std::size_t i = threadIdx.x; i < pairs; i += kThreads) {
        const double2 p = wide[i];
        v += p.x + p.y;
    }
    if (threadIdx.x == 0 && (r.end - r.begin) % 2 != 0)
        v += in[r.end - 1];

    v = blockSum(v);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = v;
}

__global__ void last(const double* __restrict__ partial, int count, double* __restrict__ out)
{
    double v = 0;
    for (int i = threadIdx.x; i < count; i += kThreads)
        v += partial[i];
    v = blockSum(v);
    if (threadIdx.x == 0)
        *out = v;
}

}  // namespace lab3

void reduce_sum(const double* in, std::size_t n, double* out)
{
    using namespace lab3;
    static double* partial = nullptr;
    if (!partial)
        cudaMalloc(&partial, kMaxBlocks * sizeof(double));
    const int blocks = static_cast<int>(
        std::min<std::size_t>(kMaxBlocks, (n + 4 * kThreads - 1) / (4 * kThreads)));
    if (blocks > 0)
        pieces<<<blocks, kThreads>>>(in, n, partial);
    last<<<1, kThreads>>>(partial, blocks, out);
}
