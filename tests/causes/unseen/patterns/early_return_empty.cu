// cause: uninitialised_output line 30
// task: scatter
// Without any elements the function returns before it has cleared the totals, which must be 0 then too.
#include "interface.cuh"

namespace {

template <int Block>
__global__ void scatterKernel(const std::int32_t* value, const std::uint32_t* target,
                              std::size_t n, unsigned long long* total) {
    const std::size_t i = std::size_t(blockIdx.x) * Block + threadIdx.x;
    if (i >= n) return;

    // lanes with the same target choose one of them that adds for all
    const unsigned peers = __match_any_sync(__activemask(), target[i]);
    const int leader = __ffs(peers) - 1;
    const int lane = threadIdx.x % 32;
    long long sum = 0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1)
        sum += __shfl_sync(peers, value[i], __ffs(rest) - 1);
    if (lane == leader) atomicAdd(total + target[i], static_cast<unsigned long long>(sum));
}

}  // namespace

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    constexpr int block = 128;
    const unsigned grid = static_cast<unsigned>((n + block - 1) / block);
    if (grid == 0) return;

    cudaMemset(total, 0, m * sizeof(std::int64_t));
    scatterKernel<block><<<grid, block>>>(value, target, n,
                                          reinterpret_cast<unsigned long long*>(total));
}
