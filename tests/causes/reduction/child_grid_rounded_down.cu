// cause: grid_too_small line 138
// task: nested
// The number of blocks of the next level is rounded down, so the last partial sums are left out when there are more than 512 of them and their number is no multiple of 512.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "interface.cuh"

// What is combined, and how. One kernel serves all of the operations.

struct Add {
    using Input = double;
    using Value = double;
    __device__ static Value zero() { return 0.0; }
    __device__ static Value read(Input x) { return x; }
    __device__ static Value merge(Value a, Value b) { return a + b; }
};

struct Largest {
    using Input = float;
    using Value = float;
    __device__ static Value zero() { return -INFINITY; }
    __device__ static Value read(Input x) { return x; }
    __device__ static Value merge(Value a, Value b) { return a > b ? a : b; }
};

struct CubeSum {
    using Input = int;
    using Value = long long;
    __device__ static Value zero() { return 0; }
    __device__ static Value read(Input x) {
        const auto square = static_cast<long long>(x) * x;
        return static_cast<long long>(static_cast<unsigned long long>(square) * x);
    }
    __device__ static Value merge(Value a, Value b) {
        return static_cast<long long>(static_cast<unsigned long long>(a) +
                                      static_cast<unsigned long long>(b));
    }
};

constexpr int block_size = 256;
constexpr int most_blocks = 1024;

template <class Op>
__device__ typename Op::Value in_block(typename Op::Value mine) {
    __shared__ typename Op::Value slot[block_size];
    slot[threadIdx.x] = mine;
    __syncthreads();
    for (int distance = block_size / 2; distance >= 32; distance /= 2) {
        if (threadIdx.x < distance)
            slot[threadIdx.x] = mine = Op::merge(mine, slot[threadIdx.x + distance]);
        __syncthreads();
    }
    if (threadIdx.x < 32)
        for (int distance = 16; distance > 0; distance /= 2)
            mine = Op::merge(mine, __shfl_down_sync(0xffffffffu, mine, distance));
    return mine;
}

// The block that finishes last combines what all of them have left.
template <class Op>
__global__ void reduce(const typename Op::Input* in, std::size_t n, typename Op::Value* partial,
                       unsigned* done, typename Op::Value* out) {
    using Value = typename Op::Value;
    __shared__ bool last;
    const std::size_t stride = std::size_t{gridDim.x} * block_size;

    Value mine = Op::zero();
    std::size_t i = std::size_t{blockIdx.x} * block_size + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        const Value a = Op::merge(Op::read(in[i]), Op::read(in[i + stride]));
        const Value b = Op::merge(Op::read(in[i + 2 * stride]), Op::read(in[i + 3 * stride]));
        mine = Op::merge(mine, Op::merge(a, b));
    }
    for (; i < n; i += stride) mine = Op::merge(mine, Op::read(in[i]));
    mine = in_block<Op>(mine);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    const volatile Value* left = partial;
    mine = Op::zero();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += block_size) mine = Op::merge(mine, left[b]);
    mine = in_block<Op>(mine);
    if (threadIdx.x == 0) *out = mine;
}

template <class Op>
void start(const typename Op::Input* in, std::size_t n, typename Op::Value* out) {
    static typename Op::Value* partial = nullptr;
    static unsigned* done = nullptr;
    if (!partial) {
        cudaMalloc(&partial, most_blocks * sizeof(typename Op::Value));
        cudaMalloc(&done, sizeof(unsigned));
        cudaMemset(done, 0, sizeof(unsigned));
    }
    std::size_t blocks = (n + 4 * block_size - 1) / (4 * block_size);
    if (blocks == 0) blocks = 1;
    if (blocks > most_blocks) blocks = most_blocks;
    reduce<Op><<<static_cast<unsigned>(blocks), block_size>>>(in, n, partial, done, out);
}

void reduce_sum(const double* in, std::size_t n, double* out) { start<Add>(in, n, out); }
void reduce_max(const float* in, std::size_t n, float* out) { start<Largest>(in, n, out); }
void reduce_cubes(const int* in, std::size_t n, long long* out) { start<CubeSum>(in, n, out); }

// Nested: a block leaves one sum of 512; while there is more than one, the kernel launches itself.

constexpr unsigned pair_block = 2 * block_size;

template <class Number>
__global__ void halve(const Number* in, std::size_t n, std::int64_t* sums, long long* out) {
    __shared__ std::int64_t slot[block_size];
    const std::size_t i = std::size_t{blockIdx.x} * pair_block + threadIdx.x;
    std::int64_t mine = 0;
    if (i < n) mine = in[i];
    if (i + block_size < n) mine += in[i + block_size];
    slot[threadIdx.x] = mine;
    for (unsigned distance = block_size / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance) slot[threadIdx.x] += slot[threadIdx.x + distance];
    }
    if (threadIdx.x != 0) return;

    const unsigned left = gridDim.x;
    if (left == 1) {
        *out = slot[0];
    } else {
        sums[blockIdx.x] = slot[0];
        if (blockIdx.x == 0) {
            const unsigned next = left < pair_block ? 1 : left / pair_block;
            halve<std::int64_t><<<next, block_size, 0, cudaStreamTailLaunch>>>(sums, left, sums + left,
                                                                              out);
        }
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static std::int64_t* sums = nullptr;
    static std::size_t capacity = 0;
    std::size_t blocks = (n + pair_block - 1) / pair_block;
    if (blocks == 0) blocks = 1;
    if (capacity < 2 * blocks) {
        cudaFree(sums);
        capacity = 2 * blocks;
        cudaMalloc(&sums, capacity * sizeof(std::int64_t));
    }
    halve<int><<<static_cast<unsigned>(blocks), block_size>>>(in, n, sums, out);
}
