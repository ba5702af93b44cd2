// cause: sign_lost line 33
// task: scatter
// The upper half of a private total gets the carry of the lower half but not the sign of the amount, so that negative amounts count 2^32 too much.
#include "interface.cuh"

typedef unsigned long long u64;

// Accounts for which the block keeps private totals. A total is kept in two halves of 32 bits,
// because atomics on 64 bits in shared memory are slow.
#define PRIVATE 2048

__global__ void clear(std::int64_t* total, std::size_t m) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) total[i] = 0;
}

__global__ void book_private(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                             int m, std::int64_t* total) {
    __shared__ unsigned low[PRIVATE];
    __shared__ int high[PRIVATE];

    for (int t = threadIdx.x; t < m; t += blockDim.x) {
        low[t] = 0;
        high[t] = 0;
    }
    __syncthreads();

    std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        std::uint32_t t = target[i];
        unsigned v = value[i];
        unsigned before = atomicAdd(&low[t], v);
        int up = before + v < before ? 1 : 0;
        if (up != 0) atomicAdd(&high[t], up);
    }
    __syncthreads();

    for (int t = threadIdx.x; t < m; t += blockDim.x) {
        u64 sum = ((u64)(unsigned)high[t] << 32) + low[t];
        if (sum != 0) atomicAdd((u64*)&total[t], sum);
    }
}

__global__ void book_global(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                            std::int64_t* total) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd((u64*)&total[target[i]], (u64)(long long)value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    clear<<<(unsigned)((m + 255) / 256), 256>>>(total, m);
    if (n == 0) return;
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (m <= PRIVATE)
        book_private<<<blocks < 512 ? blocks : 512, 256>>>(value, target, n, (int)m, total);
    else
        book_global<<<blocks, 256>>>(value, target, n, total);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    // TODO
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {
    // TODO
}
