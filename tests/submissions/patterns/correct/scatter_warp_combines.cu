// expect: scatter=accepted
// Lanes of a warp with the same target add among themselves first; one of them does the atomic.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        unsigned long long* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned peers = __match_any_sync(__activemask(), target[i]);
    long long sum = 0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
        sum += __shfl_sync(peers, value[i], __ffs(static_cast<int>(rest)) - 1);
    }
    if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(peers))) - 1) {
        atomicAdd(total + target[i], static_cast<unsigned long long>(sum));
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    if (n > 0) {
        scatter<<<static_cast<unsigned>((n + 255) / 256), 256>>>(
            value, target, n, reinterpret_cast<unsigned long long*>(total));
    }
}
