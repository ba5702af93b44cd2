// cause: accumulator_too_narrow line 47
// task: scatter
// The amounts of the lanes with one target are added in 32 bits before they go to the 64-bit total: large amounts that meet in a warp.

#include "interface.cuh"

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// Scatter. The lanes of a warp that book on the same account find each other with match_any;
// the first of them adds up the amounts of all and does one atomic for the group.

const int WARPS_PER_BLOCK = 8;
const int WARP = 32;

__device__ void book(long long amount, std::int64_t* account) {
    // two's complement: adding as unsigned is the same
    atomicAdd(reinterpret_cast<unsigned long long*>(account),
              static_cast<unsigned long long>(amount));
}

__global__ void scatter_grouped(const std::int32_t* value, const std::uint32_t* target,
                                std::size_t n, std::int64_t* total) {
    __shared__ int amounts[WARPS_PER_BLOCK][WARP];

    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    // lanes past the end take part, with a target that nobody has
    const bool valid = i < n;
    const std::uint32_t t = valid ? target[i] : 0xffffffffu;
    amounts[warp][lane] = valid ? value[i] : 0;
    __syncwarp();

    const unsigned group = __match_any_sync(0xffffffffu, t);
    const int leader = __ffs(group) - 1;

    if (valid && lane == leader) {
        int sum = 0;
        for (unsigned rest = group; rest != 0; rest &= rest - 1)
            sum += amounts[warp][__ffs(rest) - 1];
        book(sum, &total[t]);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(*total));
    if (n == 0) return;  // no grid of 0 blocks

    const int threads = WARPS_PER_BLOCK * WARP;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    scatter_grouped<<<blocks, threads>>>(value, target, n, total);
}
