// cause: array_too_small line 15
// task: gather
// The shared tile has room for one index per thread, but a block stages four: writes and reads beyond the end of shared memory as soon as n > 64.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned per_block = 256;

// The block fetches its rows coalesced into shared memory, then each thread takes its own row.
__global__ void gather_tile(const float* value, const std::uint32_t* neighbour, std::size_t n,
                            float* out) {
    __shared__ std::uint32_t tile[per_block];
    const std::size_t first = std::size_t(blockIdx.x) * per_block;
    for (unsigned j = threadIdx.x; j < 4 * per_block; j += per_block) {
        if (4 * first + j < 4 * n) tile[j] = neighbour[4 * first + j];
    }
    cg::this_thread_block().sync();
    if (first + threadIdx.x < n) {
        const std::uint32_t* row = tile + 4 * threadIdx.x;
        out[first + threadIdx.x] = value[row[0]] + value[row[1]] + value[row[2]] + value[row[3]];
    }
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather_tile<<<unsigned((n + per_block - 1) / per_block), per_block>>>(value, neighbour, n, out);
}

// y = c0 + c1 x + c2 x^2 + c3 x^3, Horner
__global__ void cubic_kernel(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                             float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = ((c3 * v + c2) * v + c1) * v + c0;
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
    cubic_kernel<<<blocks, 256>>>(x, n, c0, c1, c2, c3, y);
}

// two's complement: adding a sign-extended amount to an unsigned word is the signed addition
__global__ void scatter_kernel(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::int64_t* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long amount = value[i];
    atomicAdd(reinterpret_cast<unsigned long long*>(total + target[i]),
              static_cast<unsigned long long>(amount));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    scatter_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, total);
}
