// cause: integer_overflow line 33
// task: cubes
// Only the second multiplication is done in 64 bits: the square overflows for elements beyond 46340.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "interface.cuh"

// What is combined, and how. One kernel serves all of the operations.

struct SumOp {
    using Input = double;
    using Value = double;
    __device__ static Value identity() { return 0.0; }
    __device__ static Value load(Input x) { return x; }
    __device__ static Value combine(Value a, Value b) { return a + b; }
};

struct MaxOp {
    using Input = float;
    using Value = float;
    __device__ static Value identity() { return -INFINITY; }
    __device__ static Value load(Input x) { return x; }
    __device__ static Value combine(Value a, Value b) { return a > b ? a : b; }
};

struct CubeOp {
    using Input = int;
    using Value = long long;
    __device__ static Value identity() { return 0; }
    __device__ static Value load(Input x) {
        const long long square = x * x;
        return static_cast<long long>(static_cast<unsigned long long>(square) * x);
    }
    __device__ static Value combine(Value a, Value b) {
        return static_cast<long long>(static_cast<unsigned long long>(a) +
                                      static_cast<unsigned long long>(b));
    }
};

constexpr int block_size = 256;
constexpr int most_blocks = 1024;

template <class Op>
__device__ typename Op::Value block_reduce(typename Op::Value acc) {
    __shared__ typename Op::Value shared[block_size];
    shared[threadIdx.x] = acc;
    __syncthreads();
    for (int offset = block_size / 2; offset >= 32; offset /= 2) {
        if (threadIdx.x < offset)
            shared[threadIdx.x] = acc = Op::combine(acc, shared[threadIdx.x + offset]);
        __syncthreads();
    }
    if (threadIdx.x < 32)
        for (int offset = 16; offset > 0; offset /= 2)
            acc = Op::combine(acc, __shfl_down_sync(0xffffffffu, acc, offset));
    return acc;
}

// The block that finishes last combines what all of them have count.
template <class Op>
__global__ void reduce(const typename Op::Input* in, std::size_t n, typename Op::Value* partial,
                       unsigned* ticket, typename Op::Value* out) {
    using Value = typename Op::Value;
    __shared__ bool last;
    const std::size_t stride = std::size_t{gridDim.x} * block_size;

    Value acc = Op::identity();
    std::size_t i = std::size_t{blockIdx.x} * block_size + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        const Value a = Op::combine(Op::load(in[i]), Op::load(in[i + stride]));
        const Value b = Op::combine(Op::load(in[i + 2 * stride]), Op::load(in[i + 3 * stride]));
        acc = Op::combine(acc, Op::combine(a, b));
    }
    for (; i < n; i += stride) acc = Op::combine(acc, Op::load(in[i]));
    acc = block_reduce<Op>(acc);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = acc;
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    const volatile Value* count = partial;
    acc = Op::identity();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += block_size) acc = Op::combine(acc, count[b]);
    acc = block_reduce<Op>(acc);
    if (threadIdx.x == 0) *out = acc;
}

template <class Op>
void reduce_all(const typename Op::Input* in, std::size_t n, typename Op::Value* out) {
    static typename Op::Value* partial = nullptr;
    static unsigned* ticket = nullptr;
    if (!partial) {
        cudaMalloc(&partial, most_blocks * sizeof(typename Op::Value));
        cudaMalloc(&ticket, sizeof(unsigned));
        cudaMemset(ticket, 0, sizeof(unsigned));
    }
    std::size_t blocks = (n + 4 * block_size - 1) / (4 * block_size);
    if (blocks == 0) blocks = 1;
    if (blocks > most_blocks) blocks = most_blocks;
    reduce<Op><<<static_cast<unsigned>(blocks), block_size>>>(in, n, partial, ticket, out);
}

void reduce_sum(const double* in, std::size_t n, double* out) { reduce_all<SumOp>(in, n, out); }
void reduce_max(const float* in, std::size_t n, float* out) { reduce_all<MaxOp>(in, n, out); }
void reduce_cubes(const int* in, std::size_t n, long long* out) { reduce_all<CubeOp>(in, n, out); }

// Nested: a block leaves one sum of 512; while there is more than one, the kernel launches itself.

constexpr unsigned pair_block = 2 * block_size;

template <class Number>
__global__ void nested_step(const Number* in, std::size_t n, std::int64_t* sums, long long* out) {
    __shared__ std::int64_t shared[block_size];
    const std::size_t i = std::size_t{blockIdx.x} * pair_block + threadIdx.x;
    std::int64_t acc = 0;
    if (i < n) acc = in[i];
    if (i + block_size < n) acc += in[i + block_size];
    shared[threadIdx.x] = acc;
    for (unsigned offset = block_size / 2; offset > 0; offset /= 2) {
        __syncthreads();
        if (threadIdx.x < offset) shared[threadIdx.x] += shared[threadIdx.x + offset];
    }
    if (threadIdx.x != 0) return;

    const unsigned count = gridDim.x;
    if (count == 1) {
        *out = shared[0];
    } else {
        sums[blockIdx.x] = shared[0];
        if (blockIdx.x == 0) {
            const unsigned next = (count + pair_block - 1) / pair_block;
            nested_step<std::int64_t><<<next, block_size, 0, cudaStreamTailLaunch>>>(sums, count, sums + count,
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
    nested_step<int><<<static_cast<unsigned>(blocks), block_size>>>(in, n, sums, out);
}
