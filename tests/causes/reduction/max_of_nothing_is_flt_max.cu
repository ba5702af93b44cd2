// cause: wrong_identity line 10
// task: max
// The maximum starts from -FLT_MAX: that is right unless there are no numbers at all.
#include "interface.cuh"

#include <cfloat>

// The operation as a type: how to combine two values, and what changes nothing.
struct MaxOp {
    static __host__ __device__ float identity() { return -FLT_MAX; }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <typename T, typename Op, unsigned BLOCK>
__global__ void reduceKernel(const T* in, std::size_t n, T* partial) {
    static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree needs a power of two");
    __shared__ T tree[BLOCK];
    const Op op{};
    const unsigned t = threadIdx.x;

    T mine = Op::identity();
    for (std::size_t i = (std::size_t)blockIdx.x * BLOCK + t; i < n;
         i += (std::size_t)gridDim.x * BLOCK) {
        mine = op(mine, in[i]);
    }
    tree[t] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s) tree[t] = op(tree[t], tree[t + s]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = tree[0];
}

// first launch: one partial result per block; second launch: one block for these
template <typename T, typename Op>
void reduce(const T* in, std::size_t n, T* out) {
    constexpr unsigned BLOCK = 256;
    constexpr unsigned MAX_BLOCKS = 1024;
    static T* partial = nullptr;
    if (!partial) cudaMalloc(&partial, MAX_BLOCKS * sizeof(T));

    std::size_t blocks = (n + 4 * BLOCK - 1) / (4 * BLOCK);
    if (blocks == 0) blocks = 1;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    reduceKernel<T, Op, BLOCK><<<(unsigned)blocks, BLOCK>>>(in, n, partial);
    reduceKernel<T, Op, BLOCK><<<1, BLOCK>>>(partial, blocks, out);
}

void reduce_max(const float* in, std::size_t n, float* out) { reduce<float, MaxOp>(in, n, out); }

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
