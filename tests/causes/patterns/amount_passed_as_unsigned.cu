// cause: sign_lost line 16
// task: scatter
// the helper takes the amount as a 32-bit unsigned number, so negative ones are widened with zeros
#include "interface.cuh"

// scatter_add with private totals: each block adds into its own table in shared memory and merges it
// into the result at the end. Tables that are too large for that: atomics in global memory.

typedef unsigned long long u64;

const std::size_t kMaxPrivate = 4096;  // 32 KB
const int kThreads = 256;
const int kMaxBlocks = 264;

// There is no atomicAdd for long long; two's complement makes the unsigned one do.
__device__ void add_to(u64* account, std::uint32_t amount) {
    atomicAdd(account, static_cast<u64>(amount));
}

__global__ void scatter_global(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, u64* total) {
    std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (; i < n; i += stride) add_to(&total[target[i]], value[i]);
}

__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target,
                                std::size_t n, unsigned m, u64* total) {
    extern __shared__ u64 mine[];
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();

    std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (; i < n; i += stride) add_to(&mine[target[i]], value[i]);
    __syncthreads();

    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        if (mine[t] != 0) atomicAdd(&total[t], mine[t]);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;

    u64* sums = reinterpret_cast<u64*>(total);
    std::size_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;

    if (m <= kMaxPrivate) {
        scatter_private<<<static_cast<unsigned>(blocks), kThreads, m * sizeof(u64)>>>(
            value, target, n, static_cast<unsigned>(m), sums);
    } else {
        scatter_global<<<static_cast<unsigned>(blocks), kThreads>>>(value, target, n, sums);
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
