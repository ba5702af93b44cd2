// cause: function_misspelled line 109
// task: cubes
// The function is called reduce_cubed instead of reduce_cubes; the program cannot be linked.
// reduction with cooperative groups
#include "interface.cuh"

#include <cooperative_groups.h>
#include <algorithm>
#include <cmath>

namespace cg = cooperative_groups;

constexpr int block_threads = 256;
constexpr int elements_each = 8;
constexpr int tile_size = block_threads * elements_each;

template <typename T>
struct Add {
    __device__ T operator()(T a, T b) const { return a + b; }
    __device__ T neutral() const { return T(0); }
};

template <typename T>
struct Maximum {
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
    __device__ T neutral() const { return T(-INFINITY); }
};

struct Same {
    template <typename T>
    __device__ T operator()(T x) const { return x; }
};

struct Widen {
    __device__ long long operator()(int x) const { return x; }
};

struct Cube {
    __device__ long long operator()(int x) const
    {
        // unsigned, because it may overflow
        const unsigned long long w = static_cast<unsigned long long>(static_cast<long long>(x));
        return static_cast<long long>(w * w * w);
    }
};

// every thread of the block calls this; the result is in the first one
template <typename T, typename Op>
__device__ T over_block(cg::thread_block block, T value, Op op)
{
    __shared__ T space[block_threads / 32];
    const auto warp = cg::tiled_partition<32>(block);
    for (int d = warp.size() / 2; d > 0; d /= 2) value = op(value, warp.shfl_down(value, d));
    if (warp.thread_rank() == 0) space[block.thread_rank() / 32] = value;
    block.sync();
    if (block.thread_rank() == 0) {
        for (int w = 1; w < block_threads / 32; ++w) value = op(value, space[w]);
    }
    return value;
}

template <typename In, typename T, typename Op, typename F>
__global__ void reduce_blocks(const In* __restrict__ in, std::size_t n, T* __restrict__ out, Op op, F f)
{
    const cg::thread_block block = cg::this_thread_block();
    const std::size_t grid_step = std::size_t(gridDim.x) * tile_size;
    T value = op.neutral();
    for (std::size_t base = std::size_t(blockIdx.x) * tile_size; base < n; base += grid_step) {
        if (base + tile_size <= n) {
            In x[elements_each];
#pragma unroll
            for (int k = 0; k < elements_each; ++k) x[k] = in[base + k * block_threads + threadIdx.x];
#pragma unroll
            for (int k = 0; k < elements_each; ++k) value = op(value, f(x[k]));
        } else {
            for (std::size_t i = base + threadIdx.x; i < n; i += block_threads) value = op(value, f(in[i]));
        }
    }
    value = over_block(block, value, op);
    if (block.thread_rank() == 0) out[blockIdx.x] = value;
}

template <typename In, typename T, typename Op, typename F>
void run(const In* in, std::size_t n, T* out, Op op, F f)
{
    constexpr std::size_t most = 2048;
    static T* results = nullptr;
    if (results == nullptr) cudaMalloc(&results, most * sizeof(T));
    const std::size_t tiles = (n + tile_size - 1) / tile_size;
    if (tiles <= 1) {
        reduce_blocks<<<1, block_threads>>>(in, n, out, op, f);
        return;
    }
    const std::size_t blocks = std::min(tiles, most);
    reduce_blocks<<<unsigned(blocks), block_threads>>>(in, n, results, op, f);
    reduce_blocks<<<1, block_threads>>>(static_cast<const T*>(results), blocks, out, op, Same{});
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    run(in, n, out, Add<double>{}, Same{});
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    run(in, n, out, Maximum<float>{}, Same{});
}

void reduce_cubed(const int* in, std::size_t n, long long* out)
{
    run(in, n, out, Add<long long>{}, Cube{});
}

// ---- nested: a level has 32 times fewer blocks than the one before ----

template <typename In>
__global__ void level(const In* in, std::size_t n, long long* here, long long* there, long long* out)
{
    const cg::thread_block block = cg::this_thread_block();
    long long value = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * block_threads + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * block_threads)
        value += in[i];
    value = over_block(block, value, Add<long long>{});
    if (block.thread_rank() != 0) return;
    const unsigned blocks = gridDim.x;
    (blocks == 1 ? out : here)[blockIdx.x] = value;
    if (blockIdx.x == 0 && blocks > 1) {
        // two buffers, which change places from level to level
        level<long long><<<(blocks + 31) / 32, block_threads, 0, cudaStreamTailLaunch>>>(here, blocks, there, here, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    constexpr std::size_t most = 1024;
    static long long* buffers = nullptr;
    if (buffers == nullptr) cudaMalloc(&buffers, 2 * most * sizeof(long long));
    const std::size_t blocks = std::clamp((n + tile_size - 1) / tile_size, std::size_t{1}, most);
    level<int><<<unsigned(blocks), block_threads>>>(in, n, buffers, buffers + most, out);
}
