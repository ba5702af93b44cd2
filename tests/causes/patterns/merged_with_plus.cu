// cause: missing_atomic line 38
// task: scatter
// The private totals of the blocks are merged into the result with an ordinary +=, and the blocks overwrite each other's sums.
#include "interface.cuh"
#include <cuda_runtime.h>

using Total = unsigned long long;

constexpr std::size_t kMaxPrivate = 4096;   // 32 KB of shared memory
constexpr unsigned kBlock = 256;

// for many accounts
__global__ void scatter_global(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, Total* total) {
    std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&total[target[i]], static_cast<Total>(static_cast<long long>(value[i])));
}

// for few accounts: each block keeps totals of its own
__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target,
                                std::size_t n, unsigned m, Total* total) {
    extern __shared__ Total mine[];
    for (unsigned t = threadIdx.x; t < m; t += kBlock) mine[t] = 0;
    __syncthreads();

    std::size_t stride = static_cast<std::size_t>(gridDim.x) * kBlock;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
    while (i < n) {
        atomicAdd(&mine[target[i]], static_cast<Total>(static_cast<long long>(value[i])));
        i += stride;
    }
    __syncthreads();

    // merge
    for (unsigned t = threadIdx.x; t < m; t += kBlock) {
        if (mine[t] != 0)
            total[t] += mine[t];
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    Total* result = reinterpret_cast<Total*>(total);
    cudaMemsetAsync(result, 0, m * sizeof(Total));
    if (n == 0) return;
    std::size_t blocks = (n + 4 * kBlock - 1) / (4 * kBlock);
    unsigned grid = blocks < 264 ? static_cast<unsigned>(blocks) : 264u;
    if (m <= kMaxPrivate)
        scatter_private<<<grid, kBlock, m * sizeof(Total)>>>(value, target, n,
                                                             static_cast<unsigned>(m), result);
    else
        scatter_global<<<grid, kBlock>>>(value, target, n, result);
}
