// cause: accumulator_too_narrow line 8 or 16
// task: scatter
// A block's private totals have 32 bits and wrap around when the amounts of one account in one block exceed 2^31.
#include "interface.cuh"
#include <algorithm>

using Wide = unsigned long long;
using Local = int;

constexpr std::size_t kMaxLocal = 4096;

__device__ Wide widen(long long v) { return static_cast<Wide>(v); }

__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m, Wide* total)
{
    __shared__ Local sums[kMaxLocal];
    for (unsigned a = threadIdx.x; a < m; a += blockDim.x) sums[a] = 0;
    __syncthreads();

    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&sums[target[i]], static_cast<Local>(value[i]));
    __syncthreads();

    for (unsigned a = threadIdx.x; a < m; a += blockDim.x)
        if (sums[a] != 0) atomicAdd(&total[a], widen(sums[a]));
}

__global__ void scatter_direct(const std::int32_t* value, const std::uint32_t* target, std::size_t n, Wide* total)
{
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&total[target[i]], widen(value[i]));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m, std::int64_t* total)
{
    auto* wide = reinterpret_cast<Wide*>(total);
    cudaMemsetAsync(wide, 0, m * sizeof(Wide));
    if (n == 0) return;
    const int blocks = static_cast<int>(std::min<std::size_t>((n + 511) / 512, 96));
    if (m <= kMaxLocal)
        scatter_private<<<blocks, 512>>>(value, target, n, m, wide);
    else
        scatter_direct<<<blocks, 512>>>(value, target, n, wide);
}
