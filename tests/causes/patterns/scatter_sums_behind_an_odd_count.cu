// cause: misaligned line 26
// task: scatter
// The 64-bit sums lie in shared memory behind m 32-bit counters: for odd m their address is no multiple of 8.

#include "interface.cuh"

#include <algorithm>

// Scatter with private totals per block in shared memory. A block also counts its bookings per
// account, so that accounts without any need no atomic in the end (a sum of 0 is no proof).

namespace scatter {

using Sum = unsigned long long;
using Count = unsigned int;

constexpr int kThreads = 512;
constexpr int kBlocks = 264;
constexpr std::size_t kPerAccount = sizeof(Sum) + sizeof(Count);
constexpr std::size_t kFits = 48 * 1024 / kPerAccount;

__global__ void privatised(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                           unsigned m, std::int64_t* total) {
    extern __shared__ __align__(16) unsigned char arena[];
    Count* count = reinterpret_cast<Count*>(arena);
    Sum* sum = reinterpret_cast<Sum*>(arena + m * sizeof(Count));

    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        count[t] = 0;
        sum[t] = 0;
    }
    __syncthreads();

    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const std::uint32_t t = target[i];
        atomicAdd(&sum[t], static_cast<Sum>(static_cast<long long>(value[i])));
        atomicAdd(&count[t], 1u);
    }
    __syncthreads();

    for (unsigned t = threadIdx.x; t < m; t += blockDim.x)
        if (count[t] != 0) atomicAdd(reinterpret_cast<Sum*>(&total[t]), sum[t]);
}

// too many accounts for shared memory
__global__ void direct(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                       std::int64_t* total) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(reinterpret_cast<Sum*>(&total[target[i]]),
                  static_cast<Sum>(static_cast<long long>(value[i])));
}

}  // namespace scatter

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    using namespace scatter;
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;

    const std::size_t blocks = (n + kThreads - 1) / kThreads;
    if (m <= kFits) {
        const int grid = static_cast<int>(std::min<std::size_t>(blocks, kBlocks));
        privatised<<<grid, kThreads, m * kPerAccount>>>(value, target, n, (unsigned)m, total);
    } else {
        direct<<<(unsigned)blocks, kThreads>>>(value, target, n, total);
    }
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}
