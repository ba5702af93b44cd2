// cause: array_too_small line 13
// task: scatter
// The private totals have as many slots as the block has threads (256), but the kernel is also taken for m from 257 to 2048.
#include "interface.cuh"

using u64 = unsigned long long;

constexpr int THREADS = 256;
constexpr std::size_t MAX_PRIVATE = 2048;   // more totals than this go to global memory

__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target,
                                std::size_t n, std::size_t m, u64* total) {
    __shared__ u64 mine[THREADS];
    for (std::size_t t = threadIdx.x; t < m; t += THREADS) mine[t] = 0;
    __syncthreads();

    for (std::size_t i = std::size_t(blockIdx.x) * THREADS + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * THREADS) {
        atomicAdd(&mine[target[i]], u64(std::int64_t(value[i])));
    }
    __syncthreads();

    for (std::size_t t = threadIdx.x; t < m; t += THREADS) {
        if (mine[t]) atomicAdd(&total[t], mine[t]);
    }
}

__global__ void scatter_global(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, u64* total) {
    for (std::size_t i = std::size_t(blockIdx.x) * THREADS + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * THREADS) {
        atomicAdd(&total[target[i]], u64(std::int64_t(value[i])));
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    u64* out = reinterpret_cast<u64*>(total);
    cudaMemset(out, 0, m * sizeof(u64));
    if (n == 0) return;

    if (m <= MAX_PRIVATE) {
        std::size_t blocks = (n + 4 * THREADS - 1) / (4 * THREADS);
        if (blocks > 64) blocks = 64;
        scatter_private<<<blocks, THREADS>>>(value, target, n, m, out);
    } else {
        std::size_t blocks = (n + THREADS - 1) / THREADS;
        if (blocks > 4096) blocks = 4096;
        scatter_global<<<blocks, THREADS>>>(value, target, n, out);
    }
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}
