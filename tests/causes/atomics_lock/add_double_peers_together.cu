// cause: inclusive_exclusive line 32
// task: add_double
// The prefix over the lanes with one target includes the lane's own value, so before[i] is the total after the addition.
#include "interface.cuh"

// Lanes with the same target go as one: the lowest adds the sum of all of them, and then each lane
// works out its own place in the chain.
__device__ double atomic_add_double(double* address, double value) {
    auto* bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = atomicCAS(bits, 0ull, 0ull), assumed;
    do {
        assumed = old;
        const double sum = __longlong_as_double(static_cast<long long>(assumed)) + value;
        old = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(sum)));
    } while (old != assumed);
    return __longlong_as_double(static_cast<long long>(old));
}

__global__ void add_aggregated(const double* values, const std::uint32_t* targets, std::size_t n,
                               double* totals, double* before) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool mine = i < n;
    const double value = mine ? values[i] : 0.0;
    const std::uint32_t target = mine ? targets[i] : 0xffffffffu;

    const unsigned peers = __match_any_sync(0xffffffffu, target);
    double sum = 0.0, prefix = 0.0;
    for (int source = 0; source < 32; ++source) {
        const double v = __shfl_sync(0xffffffffu, value, source);
        if (!(peers >> source & 1u)) continue;
        if (source <= lane) prefix += v;
        sum += v;
    }

    const int leader = __ffs(static_cast<int>(peers)) - 1;
    double base = 0.0;
    if (mine && lane == leader) base = atomic_add_double(totals + target, sum);
    base = __shfl_sync(0xffffffffu, base, leader);
    if (mine) before[i] = base + prefix;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof(double));
    if (n == 0) return;
    add_aggregated<<<static_cast<unsigned>((n + 127) / 128), 128>>>(values, targets, n, totals,
                                                                    before);
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
