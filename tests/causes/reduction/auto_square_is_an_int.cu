// cause: integer_overflow line 20
// task: cubes
// `auto square = x * x` is an int: beyond 46340 it overflows before it is widened for the second product.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 528;

/// What is done to each element before it is added
template <class Sum>
struct Cube {
    __device__ Sum operator()(int x) const {
        // the sum has 64 bits, so the last product is made in its type
        const auto square = x * x;
        return static_cast<Sum>(square) * x;
    }
};

template <class Sum, class Tile>
__device__ Sum tile_sum(const Tile& tile, Sum v) {
#pragma unroll
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    return v;  // right in rank 0
}

template <class Sum, class Map>
__global__ void transform_reduce(const int* in, std::size_t n, unsigned long long* out, Map map) {
    __shared__ Sum warps[kThreads / 32];
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const std::size_t rank = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;

    // four elements at a time: the input is aligned for that
    Sum sum = 0;
    const std::size_t vectors = n / 4;
    const int4* wide = reinterpret_cast<const int4*>(in);
    for (std::size_t i = rank; i < vectors; i += threads) {
        const int4 v = wide[i];
        sum += map(v.x) + map(v.y) + map(v.z) + map(v.w);
    }
    // and the rest one by one
    for (std::size_t i = 4 * vectors + rank; i < n; i += threads) sum += map(in[i]);

    sum = tile_sum(warp, sum);
    if (warp.thread_rank() == 0) warps[warp.meta_group_rank()] = sum;
    block.sync();

    if (warp.meta_group_rank() != 0) return;
    sum = warp.thread_rank() < kThreads / 32 ? warps[warp.thread_rank()] : Sum{0};
    sum = tile_sum(warp, sum);
    // there is no atomicAdd for long long, the bits are the same
    if (warp.thread_rank() == 0) atomicAdd(out, static_cast<unsigned long long>(sum));
}

}  // namespace

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof(long long));
    if (n == 0) return;
    constexpr std::size_t per_block = kThreads * 16;
    const std::size_t blocks = (n + per_block - 1) / per_block;
    transform_reduce<long long><<<blocks < kMostBlocks ? blocks : kMostBlocks, kThreads>>>(
        in, n, reinterpret_cast<unsigned long long*>(out), Cube<long long>{});
}

void reduce_sum(const double*, std::size_t, double*) {
    // TODO
}

void reduce_max(const float*, std::size_t, float*) {
    // TODO
}

void reduce_nested(const int*, std::size_t, long long*) {
    // TODO
}
