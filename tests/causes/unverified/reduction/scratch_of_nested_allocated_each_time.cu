// cause: leak line 149
// task: nested
// The buffer of the nested sum is not static, so each call allocates another one and never frees it.
// Reduction. One pair of kernels for sum, max and cubes; the nested sum launches itself.
#include "interface.cuh"

#include <cmath>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr std::size_t kPerBlock = 16 * kThreads;
constexpr std::size_t kMaxBlocks = 1056;

// Device memory that grows and is used again by the next call.
template <class T>
struct Buffer {
    T* data = nullptr;
    std::size_t capacity = 0;

    T* get(std::size_t count) {
        if (count > capacity) {
            cudaFree(data);
            cudaMalloc(&data, count * sizeof(T));
            capacity = count;
        }
        return data;
    }
};

struct SumOp {
    using In = double;
    using Acc = double;
    __device__ static Acc identity() { return 0.0; }
    __device__ static Acc of(In x) { return x; }
    __device__ static Acc combine(Acc a, Acc b) { return a + b; }
};

struct MaxOp {
    using In = float;
    using Acc = float;
    __device__ static Acc identity() { return -INFINITY; }
    __device__ static Acc of(In x) { return x; }
    __device__ static Acc combine(Acc a, Acc b) { return a < b ? b : a; }
};

struct CubesOp {
    using In = int;
    using Acc = unsigned long long;
    __device__ static Acc identity() { return 0; }
    __device__ static Acc of(In x) {
        const Acc wide = static_cast<Acc>(static_cast<long long>(x));
        return wide * wide * wide;
    }
    __device__ static Acc combine(Acc a, Acc b) { return a + b; }
};

struct PlusOp {
    using Acc = long long;
    __device__ static Acc identity() { return 0; }
    __device__ static Acc combine(Acc a, Acc b) { return a + b; }
};

// valid in thread 0
template <class Op>
__device__ typename Op::Acc block_total(typename Op::Acc x) {
    using Acc = typename Op::Acc;
    __shared__ Acc of_warp[kWarps];
    const int lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d /= 2) x = Op::combine(x, __shfl_down_sync(0xffffffffu, x, d));
    if (lane == 0) of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = lane < kWarps ? of_warp[lane] : Op::identity();
        for (int d = kWarps / 2; d > 0; d /= 2) x = Op::combine(x, __shfl_down_sync(0xffffffffu, x, d));
    }
    return x;
}

template <class Op>
__global__ void first_pass(const typename Op::In* in, std::size_t n, typename Op::Acc* partial) {
    const std::size_t stride = std::size_t{gridDim.x} * kThreads;
    std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    typename Op::Acc a = Op::identity(), b = Op::identity();
    for (; i + 3 * stride < n; i += 4 * stride) {
        const typename Op::In w = in[i], x = in[i + stride], y = in[i + 2 * stride], z = in[i + 3 * stride];
        a = Op::combine(a, Op::combine(Op::of(w), Op::of(x)));
        b = Op::combine(b, Op::combine(Op::of(y), Op::of(z)));
    }
    for (; i < n; i += stride) a = Op::combine(a, Op::of(in[i]));
    a = block_total<Op>(Op::combine(a, b));
    if (threadIdx.x == 0) partial[blockIdx.x] = a;
}

template <class Op>
__global__ void second_pass(const typename Op::Acc* partial, unsigned count, typename Op::Acc* out) {
    typename Op::Acc a = Op::identity();
    for (unsigned k = threadIdx.x; k < count; k += kThreads) a = Op::combine(a, partial[k]);
    a = block_total<Op>(a);
    if (threadIdx.x == 0) *out = a;
}

template <class Op>
void reduce(const typename Op::In* in, std::size_t n, typename Op::Acc* out) {
    static Buffer<typename Op::Acc> partial;
    typename Op::Acc* const sums = partial.get(kMaxBlocks);
    std::size_t blocks = (n + kPerBlock - 1) / kPerBlock;
    if (blocks < 1) blocks = 1;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    first_pass<Op><<<static_cast<unsigned>(blocks), kThreads>>>(in, n, sums);
    second_pass<Op><<<1, kThreads>>>(sums, static_cast<unsigned>(blocks), out);
}

// Each block adds up kPerBlock elements. The sums of this level are the elements of the next.
template <class T>
__global__ void nested_level(const T* in, std::size_t n, long long* sums, long long* out) {
    const std::size_t start = std::size_t{blockIdx.x} * kPerBlock;
    long long mine = 0;
#pragma unroll 4
    for (std::size_t k = threadIdx.x; k < kPerBlock; k += kThreads) {
        if (start + k < n) mine += in[start + k];
    }
    mine = block_total<PlusOp>(mine);
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = mine;
        return;
    }
    sums[blockIdx.x] = mine;
    if (blockIdx.x == 0) {
        const unsigned next = static_cast<unsigned>((gridDim.x + kPerBlock - 1) / kPerBlock);
        nested_level<long long><<<next, kThreads, 0, cudaStreamTailLaunch>>>(sums, gridDim.x, sums + gridDim.x, out);
    }
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) { reduce<SumOp>(in, n, out); }

void reduce_max(const float* in, std::size_t n, float* out) { reduce<MaxOp>(in, n, out); }

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    reduce<CubesOp>(in, n, reinterpret_cast<unsigned long long*>(out));
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    Buffer<long long> sums;  // of all levels, one behind the other
    const std::size_t blocks = n > 0 ? (n + kPerBlock - 1) / kPerBlock : 1;
    nested_level<int><<<static_cast<unsigned>(blocks), kThreads>>>(in, n, sums.get(2 * blocks), out);
}
