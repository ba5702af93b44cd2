// cause: uninitialised_shared line 34
// task: sum
// the first warp adds up 32 warp totals although the block has only 8 warps; the other 24 places hold garbage, for every n above 0
#include "interface.cuh"

// Sum of doubles: registers first, then shuffles, then one value per warp in
// shared memory, then the first warp adds these up.

static constexpr int BLOCK_SIZE = 256;
static constexpr int WARP = 32;
static constexpr int MAX_BLOCKS = 528;   // 4 blocks for each of 132 SMs

template <typename T>
__device__ __forceinline__ T warp_reduce_sum(T val) {
    #pragma unroll
    for (int offset = WARP / 2; offset > 0; offset >>= 1)
        val += __shfl_down_sync(0xffffffffu, val, offset);
    return val;
}

template <typename T>
__device__ T block_reduce_sum(T val) {
    __shared__ T warp_totals[WARP];      // one for each warp, a block has at most 32

    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;

    val = warp_reduce_sum(val);
    if (lane == 0) warp_totals[warp] = val;
    __syncthreads();

    // the totals fit into one warp
    if (warp == 0) {
        val = warp_totals[lane];
        val = warp_reduce_sum(val);
    }
    return val;                          // only thread 0 has the right one
}

__global__ void sum_doubles(const double* __restrict__ in, size_t n, double* out) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    // four independent sums, so that four loads are on their way
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    for (; i + 3 * stride < n; i += 4 * stride) {
        s0 += in[i];
        s1 += in[i + stride];
        s2 += in[i + 2 * stride];
        s3 += in[i + 3 * stride];
    }
    for (; i < n; i += stride) s0 += in[i];

    const double total = block_reduce_sum((s0 + s1) + (s2 + s3));
    if (threadIdx.x == 0) atomicAdd(out, total);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof(double));  // +0.0 is all zero bits
    if (n == 0) return;

    size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    sum_doubles<<<static_cast<unsigned>(blocks), BLOCK_SIZE>>>(in, n, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
