// cause: inclusive_exclusive line 39
// task: add_double
// A lane's old value is the group's old value plus the values of the lanes below it, but the mask includes the lane itself.
#include "interface.cuh"

constexpr unsigned full_warp = 0xffffffffu;

// Atomic addition of a double, returns the old value.
__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long seen = *reinterpret_cast<volatile unsigned long long*>(address);
    unsigned long long expected;
    do {
        expected = seen;
        const double sum = __longlong_as_double(static_cast<long long>(expected)) + value;
        seen = atomicCAS(word, expected,
                         static_cast<unsigned long long>(__double_as_longlong(sum)));
    } while (seen != expected);
    return __longlong_as_double(static_cast<long long>(seen));
}

__global__ void clear_totals(double* totals, std::size_t m) {
    const std::size_t t = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t < m) totals[t] = 0.0;
}

// The lanes that have the same target go as one: their leader adds the sum of the group, and the
// old value of each lane follows from the leader's.
__global__ void add_groups(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned working = __ballot_sync(full_warp, i < n);
    if (i >= n) return;

    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t target = targets[i];
    const double value = values[i];
    const unsigned group = __match_any_sync(working, target);
    const unsigned lower = group & (2u << lane) - 1;

    double prefix = 0.0, sum = 0.0;
    for (unsigned rest = group; rest != 0; rest &= rest - 1) {
        const int source = __ffs(rest) - 1;
        const double v = __shfl_sync(group, value, source);
        sum += v;
        if (lower >> source & 1u) prefix += v;
    }

    const int leader = __ffs(group) - 1;
    double old = 0.0;
    if (int(lane) == leader) old = atomic_add_double(&totals[target], sum);
    old = __shfl_sync(group, old, leader);
    before[i] = old + prefix;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    clear_totals<<<unsigned((m + 255) / 256), 256>>>(totals, m);
    if (n > 0) {
        add_groups<<<unsigned((n + 255) / 256), 256>>>(values, targets, n, totals, before);
    }
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}
