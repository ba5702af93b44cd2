// cause: missing_atomic line 25
// task: scatter
// The blocks add their private totals to the global ones with +=, and additions of other blocks get lost.
#include "interface.cuh"

typedef unsigned long long u64;

const int PRIVATE = 2048;  // totals that fit into shared memory

__global__ void scatterPrivate(const int32_t* value, const uint32_t* target, size_t n, int m,
                               int64_t* total) {
    __shared__ u64 mine[PRIVATE];
    for (int t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();

    // the block adds up its share of the bookings
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) {
        long long v = value[i];
        atomicAdd(&mine[target[i]], (u64)v);
    }
    __syncthreads();

    // every thread merges other totals
    for (int t = threadIdx.x; t < m; t += blockDim.x) total[t] += (int64_t)mine[t];
}

__global__ void scatterGlobal(const int32_t* value, const uint32_t* target, size_t n,
                              int64_t* total) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd((u64*)&total[target[i]], (u64)(long long)value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(int64_t));
    if (n == 0) return;
    int blocks = (n + 255) / 256;
    if (m <= PRIVATE) {
        if (blocks > 512) blocks = 512;
        scatterPrivate<<<blocks, 256>>>(value, target, n, m, total);
    } else {
        scatterGlobal<<<blocks, 256>>>(value, target, n, total);
    }
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}
