// cause: sign_lost line 10
// task: scatter
// The helper's parameter is an unsigned 32-bit number. A negative amount is turned into a large positive one
// when it is passed, before it is widened.
#include "interface.cuh"

typedef unsigned long long u64;

// 64-bit atomicAdd exists only without sign, two's complement does the rest
__device__ inline void book(std::int64_t* account, unsigned amount)
{
    atomicAdd(reinterpret_cast<u64*>(account), static_cast<u64>(amount));
}

__global__ void clear(std::int64_t* total, std::size_t m)
{
    std::size_t t = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (t < m) total[t] = 0;
}

__global__ void bookAll(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::int64_t* total)
{
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i < n && value[i] != 0) book(&total[target[i]], value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total)
{
    clear<<<(m + 255) / 256, 256>>>(total, m);
    if (n > 0) bookAll<<<(n + 255) / 256, 256>>>(value, target, n, total);
}
