// cause: inclusive_exclusive line 38 or 39
// task: add_double
// Lanes with the same target go as one, and each gets the base plus the sum of the lanes up to and with itself: the value after its addition, not before.
#include "interface.cuh"
#include <cstdint>

namespace {

__device__ double atomic_add_double(double* address, double value) {
    auto* bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long seen = atomicAdd(bits, 0ull), assumed;
    do {
        assumed = seen;
        const double next = __longlong_as_double(static_cast<long long>(assumed)) + value;
        seen = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(next)));
    } while (seen != assumed);
    return __longlong_as_double(static_cast<long long>(seen));
}

constexpr int block_size = 128;

__global__ void add_grouped(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                            double* before) {
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const bool active = i < n;
    const double value = active ? values[i] : 0.0;
    const std::uint32_t target = active ? targets[i] : 0xffffffffu;

    // lanes with one target go as one
    double prefix = 0.0, sum = 0.0;
    int leader = -1;
    for (int other = 0; other < 32; ++other) {
        const double v = __shfl_sync(0xffffffffu, value, other);
        const std::uint32_t t = __shfl_sync(0xffffffffu, target, other);
        if (t != target) continue;
        if (leader < 0) leader = other;
        sum += v;
        if (other == lane) prefix = sum;
    }

    double base = 0.0;
    if (active && lane == leader) base = atomic_add_double(totals + target, sum);
    base = __shfl_sync(0xffffffffu, base, leader);
    if (active) before[i] = base + prefix;
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof(double));
    if (n > 0) add_grouped<<<unsigned((n + block_size - 1) / block_size), block_size>>>(values, targets, n, totals, before);
}
