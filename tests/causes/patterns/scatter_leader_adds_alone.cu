// cause: missing_atomic line 34
// task: scatter
// Only one lane of a warp is left for each account, but lanes of other warps add to the same total at the same time.
#include "interface.cuh"

#define FULL 0xffffffffu

// Lanes of a warp with the same target agree on a leader, which adds for all of them. That way
// nobody else in the warp has the same address.
__global__ void scatter_warp(const int* value, const unsigned* target, size_t n, long long* total)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    bool have = i < n;

    unsigned t = have ? target[i] : FULL;
    long long v = have ? value[i] : 0;

    // the lanes that want what I want
    unsigned same = 0;
    for (int j = 0; j < 32; j++)
        if (__shfl_sync(FULL, t, j) == t)
            same |= 1u << j;

    long long sum = 0;
    for (int j = 0; j < 32; j++) {
        long long other = __shfl_sync(FULL, v, j);
        if (same >> j & 1)
            sum += other;
    }

    int leader = __ffs(same) - 1;
    if (have && lane == leader)
        total[t] += sum;
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, size_t n, size_t m, std::int64_t* total)
{
    cudaMemsetAsync(total, 0, 8 * m);
    unsigned blocks = (n + 127) / 128;
    if (blocks > 0)
        scatter_warp<<<blocks, 128>>>(value, target, n, (long long*)total);
}
