// cause: accumulator_too_narrow line 14 or 15
// task: scatter
// The block's private totals have 32 bits like the amounts. The sum of a block's amounts for one account
// may need more, and then it wraps around.
#include "interface.cuh"
#include <algorithm>

constexpr unsigned kAccounts = 2048;   // that many fit into shared memory
constexpr unsigned kThreads = 512;

using Wide = unsigned long long;

// private totals of the block
using Private = int;
__device__ void addPrivate(Private* p, int v) { atomicAdd(p, v); }

__device__ void addGlobal(Wide* p, long long v) { atomicAdd(p, static_cast<Wide>(v)); }

template <bool Privatise>
__global__ void scatterKernel(const int* value, const unsigned* target, size_t n, unsigned m, Wide* total) {
    __shared__ Private mine[Privatise ? kAccounts : 1];

    if (Privatise) {
        for (unsigned t = threadIdx.x; t < m; t += kThreads) mine[t] = 0;
        __syncthreads();
    }

    for (size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += size_t(gridDim.x) * kThreads) {
        if (Privatise)
            addPrivate(&mine[target[i]], value[i]);
        else
            addGlobal(&total[target[i]], value[i]);
    }

    if (Privatise) {
        __syncthreads();
        for (unsigned t = threadIdx.x; t < m; t += kThreads)
            if (mine[t] != 0) addGlobal(&total[t], static_cast<long long>(mine[t]));
    }
}

void scatter_add(const int32_t* value, const uint32_t* target, size_t n, size_t m, int64_t* total) {
    cudaMemset(total, 0, m * sizeof(int64_t));
    if (n == 0) return;

    const unsigned blocks = std::min<size_t>((n + kThreads - 1) / kThreads, 264);
    Wide* sums = reinterpret_cast<Wide*>(total);
    if (m <= kAccounts)
        scatterKernel<true><<<blocks, kThreads>>>(value, target, n, m, sums);
    else
        scatterKernel<false><<<blocks, kThreads>>>(value, target, n, m, sums);
}
