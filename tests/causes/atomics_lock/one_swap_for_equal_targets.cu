// cause: wrong_shuffle_mask line 36
// task: add_double
// The loop over the lanes of a group makes as many turns as the group has lanes, but its shuffle names all active lanes: groups of other sizes and other lanes are mixed up.
#include "interface.cuh"

// Warp-aggregated: lanes with the same target are served by one compare-and-swap of their leader.

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long seen = atomicAdd(word, 0ull);
    for (;;) {
        const unsigned long long wanted = __double_as_longlong(__longlong_as_double(seen) + value);
        const unsigned long long found = atomicCAS(word, seen, wanted);
        if (found == seen) return __longlong_as_double(seen);
        seen = found;
    }
}

__global__ void add_aggregated(const double* __restrict__ values,
                               const std::uint32_t* __restrict__ targets, std::size_t n,
                               double* totals, double* __restrict__ before) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;

    const unsigned lane = threadIdx.x & 31;
    const double value = values[i];
    const std::uint32_t target = targets[i];
    const unsigned peers = __match_any_sync(active, target);
    const unsigned leader = __ffs(peers) - 1;

    double sum = 0.0;     // of the whole group
    double prefix = 0.0;  // of the lanes of the group below this one
    for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
        const unsigned source = __ffs(rest) - 1;
        const double v = __shfl_sync(active, value, source);
        if (source < lane) prefix += v;
        sum += v;
    }

    double base = 0.0;
    if (lane == leader) base = atomic_add_double(totals + target, sum);
    base = __shfl_sync(peers, base, leader);
    before[i] = base + prefix;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    if (n > 0) add_aggregated<<<(unsigned)((n + 255) / 256), 256>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
