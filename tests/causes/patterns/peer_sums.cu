// cause: integer_overflow or accumulator_too_narrow line 14
// task: scatter
// lanes with the same target add their amounts in 32 bits before they are widened, which overflows for large amounts
#include "interface.cuh"

typedef unsigned long long u64;

// The lowest lane of each group of equal targets collects the amounts of the group.
__device__ void add_grouped(std::int64_t* total, std::uint32_t t, std::int32_t v, unsigned active)
{
    const unsigned lane = threadIdx.x & 31;
    const unsigned peers = __match_any_sync(active, t);
    const unsigned leader = __ffs(peers) - 1;
    int sum = 0;
    unsigned todo = peers;

    // every lane takes part in each shuffle, so the number of rounds is that of the warp
    while (__any_sync(active, todo != 0)) {
        const unsigned from = todo ? __ffs(todo) - 1 : lane;
        const int other = __shfl_sync(active, v, from);
        if (todo) {
            sum += other;
            todo &= todo - 1;
        }
    }
    if (lane == leader)
        atomicAdd((u64*)&total[t], (u64)(long long)sum);
}

__global__ void scatterKernel(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::int64_t* total)
{
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i < n)
        add_grouped(total, target[i], value[i], active);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m, std::int64_t* total)
{
    cudaMemset(total, 0, m * sizeof *total);
    if (!n)
        return;
    scatterKernel<<<(unsigned)((n + 255) / 256), 256>>>(value, target, n, total);
}
