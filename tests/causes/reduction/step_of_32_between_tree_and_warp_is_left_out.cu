// cause: tree_level_missing line 18
// task: sum
// The tree in shared memory stops with 64 partial sums, the last warp takes up 32 of them: the upper 32 are lost as soon as threads 32 to 63 have elements.
#include "interface.cuh"

// Two passes: a fixed number of blocks leaves one partial sum each, then a single block adds these.
// Both passes use the same kernel. The tree goes by halves in shared memory while it is wider than a
// warp; the last warp needs no more barriers and finishes in registers.

template <int BlockSize> struct Tree {
    double slot[BlockSize];

    __device__ double sum(double mine) {
        const int t = threadIdx.x;
        slot[t] = mine;
        __syncthreads();
#pragma unroll
        for (int half = BlockSize / 2; half > 32; half /= 2) {
            if (t < half) slot[t] += slot[t + half];
            __syncthreads();
        }
        double s = 0;
        if (t < 32) {
            s = slot[t];
#pragma unroll
            for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
        }
        return s;
    }
};

template <int BlockSize>
__global__ void __launch_bounds__(BlockSize)
    partial_sums(const double* __restrict__ in, std::size_t n, double* __restrict__ out) {
    __shared__ Tree<BlockSize> tree;

    const std::size_t pairs = n / 2;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * BlockSize;
    const double2* in2 = reinterpret_cast<const double2*>(in);
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * BlockSize + threadIdx.x;

    // Four running sums, so that four loads are under way at a time.
    double a = 0, b = 0, c = 0, d = 0;
    for (; i + stride < pairs; i += 2 * stride) {
        const double2 p = in2[i];
        const double2 q = in2[i + stride];
        a += p.x;
        b += p.y;
        c += q.x;
        d += q.y;
    }
    if (i < pairs) {
        const double2 p = in2[i];
        a += p.x;
        b += p.y;
    }
    if (n % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0) c += in[n - 1];

    const double s = tree.sum((a + b) + (c + d));
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr int block = 256;
    constexpr std::size_t most = 1024;
    static double* partial = nullptr;
    if (partial == nullptr) cudaMalloc(reinterpret_cast<void**>(&partial), most * sizeof(double));

    std::size_t blocks = (n + 8 * block - 1) / (8 * block);
    if (blocks > most) blocks = most;
    if (blocks <= 1) {
        partial_sums<block><<<1, block>>>(in, n, out);
        return;
    }
    partial_sums<block><<<static_cast<unsigned>(blocks), block>>>(in, n, partial);
    partial_sums<block><<<1, block>>>(partial, blocks, out);
}
