// cause: wrong_identity line 23
// task: max
// The maximum starts from the lowest finite float, so the answer for no elements, or for minus infinities only, is not minus infinity.
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "interface.cuh"

// What is combined, and how. One kernel serves all of the operations.

struct Plus {
    using Input = double;
    using Value = double;
    __device__ static Value neutral() { return 0.0; }
    __device__ static Value read(Input x) { return x; }
    __device__ static Value join(Value a, Value b) { return a + b; }
};

struct Greatest {
    using Input = float;
    using Value = float;
    __device__ static Value neutral() { return -FLT_MAX; }
    __device__ static Value read(Input x) { return x; }
    __device__ static Value join(Value a, Value b) { return a > b ? a : b; }
};

struct Cubes {
    using Input = int;
    using Value = long long;
    __device__ static Value neutral() { return 0; }
    __device__ static Value read(Input x) {
        const auto square = static_cast<long long>(x) * x;
        return static_cast<long long>(static_cast<unsigned long long>(square) * x);
    }
    __device__ static Value join(Value a, Value b) {
        return static_cast<long long>(static_cast<unsigned long long>(a) +
                                      static_cast<unsigned long long>(b));
    }
};

constexpr int block_size = 256;
constexpr int most_blocks = 1024;

template <class Op>
__device__ typename Op::Value tree(typename Op::Value mine) {
    __shared__ typename Op::Value cell[block_size];
    cell[threadIdx.x] = mine;
    __syncthreads();
    for (int reach = block_size / 2; reach >= 32; reach /= 2) {
        if (threadIdx.x < reach)
            cell[threadIdx.x] = mine = Op::join(mine, cell[threadIdx.x + reach]);
        __syncthreads();
    }
    if (threadIdx.x < 32)
        for (int reach = 16; reach > 0; reach /= 2)
            mine = Op::join(mine, __shfl_down_sync(0xffffffffu, mine, reach));
    return mine;
}

// The block that finishes last combines what all of them have left.
template <class Op>
__global__ void reduce(const typename Op::Input* in, std::size_t n, typename Op::Value* partial,
                       unsigned* finished, typename Op::Value* out) {
    using Value = typename Op::Value;
    __shared__ bool last;
    const std::size_t stride = std::size_t{gridDim.x} * block_size;

    Value mine = Op::neutral();
    std::size_t i = std::size_t{blockIdx.x} * block_size + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        const Value a = Op::join(Op::read(in[i]), Op::read(in[i + stride]));
        const Value b = Op::join(Op::read(in[i + 2 * stride]), Op::read(in[i + 3 * stride]));
        mine = Op::join(mine, Op::join(a, b));
    }
    for (; i < n; i += stride) mine = Op::join(mine, Op::read(in[i]));
    mine = tree<Op>(mine);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    const volatile Value* left = partial;
    mine = Op::neutral();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += block_size) mine = Op::join(mine, left[b]);
    mine = tree<Op>(mine);
    if (threadIdx.x == 0) *out = mine;
}

template <class Op>
void run(const typename Op::Input* in, std::size_t n, typename Op::Value* out) {
    static typename Op::Value* partial = nullptr;
    static unsigned* finished = nullptr;
    if (!partial) {
        cudaMalloc(&partial, most_blocks * sizeof(typename Op::Value));
        cudaMalloc(&finished, sizeof(unsigned));
        cudaMemset(finished, 0, sizeof(unsigned));
    }
    std::size_t blocks = (n + 4 * block_size - 1) / (4 * block_size);
    if (blocks == 0) blocks = 1;
    if (blocks > most_blocks) blocks = most_blocks;
    reduce<Op><<<static_cast<unsigned>(blocks), block_size>>>(in, n, partial, finished, out);
}

void reduce_sum(const double* in, std::size_t n, double* out) { run<Plus>(in, n, out); }
void reduce_max(const float* in, std::size_t n, float* out) { run<Greatest>(in, n, out); }
void reduce_cubes(const int* in, std::size_t n, long long* out) { run<Cubes>(in, n, out); }

// Nested: a block leaves one sum of 512; while there is more than one, the kernel launches itself.

constexpr unsigned pair_block = 2 * block_size;

template <class Number>
__global__ void halve(const Number* in, std::size_t n, std::int64_t* sums, long long* out) {
    __shared__ std::int64_t cell[block_size];
    const std::size_t i = std::size_t{blockIdx.x} * pair_block + threadIdx.x;
    std::int64_t mine = 0;
    if (i < n) mine = in[i];
    if (i + block_size < n) mine += in[i + block_size];
    cell[threadIdx.x] = mine;
    for (unsigned reach = block_size / 2; reach > 0; reach /= 2) {
        __syncthreads();
        if (threadIdx.x < reach) cell[threadIdx.x] += cell[threadIdx.x + reach];
    }
    if (threadIdx.x != 0) return;

    const unsigned left = gridDim.x;
    if (left == 1) {
        *out = cell[0];
    } else {
        sums[blockIdx.x] = cell[0];
        if (blockIdx.x == 0) {
            const unsigned next = (left + pair_block - 1) / pair_block;
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
