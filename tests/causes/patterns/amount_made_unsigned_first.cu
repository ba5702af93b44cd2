// cause: sign_lost line 20
// task: scatter
// A negative amount becomes an unsigned 32-bit number before it is widened to 64 bits: each adds 2^32 too much.
#include "interface.cuh"

typedef unsigned long long u64;

// Lanes of a warp with the same target add among themselves first; their leader then does a
// single atomic for all of them.
static __global__ void scatter_matched(const int32_t* value, const uint32_t* target, size_t n,
                                       u64* total) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    const bool active = i < n;

    const unsigned here = __ballot_sync(0xffffffffu, active);
    if (!active) return;

    const uint32_t t = target[i];
    const unsigned v = value[i];
    const unsigned peers = __match_any_sync(here, t);
    const unsigned leader = __ffs(peers) - 1;

    u64 sum = 0;
    for (unsigned l = 0; l < 32; ++l) {
        if (!(here >> l & 1)) continue;
        const u64 other = __shfl_sync(here, (u64)v, l);
        if (peers >> l & 1) sum += other;
    }
    if (lane == leader) atomicAdd(total + t, sum);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    const unsigned threads = 256;
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    scatter_matched<<<blocks, threads>>>(value, target, n, (u64*)total);
}
