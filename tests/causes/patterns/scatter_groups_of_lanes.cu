// cause: accumulator_too_narrow line 14
// task: scatter
// Lanes with the same target add up their amounts in a 32-bit int before the leader adds the sum; it overflows for large amounts.
#include "interface.cuh"

// Lanes of a warp that have the same target first add up their amounts, then only one of them
// (the lowest lane of the group) goes to global memory.
__device__ void add_group(std::int64_t* total, std::uint32_t t, std::int32_t amount) {
    const unsigned active = __activemask();
    const unsigned peers = __match_any_sync(active, t);
    const int lane = threadIdx.x % 32;
    const int leader = __ffs(peers) - 1;

    std::int32_t sum = 0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
        const int source = __ffs(rest) - 1;
        sum += __shfl_sync(peers, amount, source);
    }
    if (lane == leader) {
        const auto wide = static_cast<long long>(sum);
        atomicAdd(reinterpret_cast<unsigned long long*>(total + t),
                  static_cast<unsigned long long>(wide));
    }
}

__global__ void scatter_kernel(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::int64_t* total) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) add_group(total, target[i], value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    scatter_kernel<<<unsigned((n + 255) / 256), 256>>>(value, target, n, total);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}
