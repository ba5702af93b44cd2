// cause: inclusive_exclusive line 35
// task: add_double
// A lane adds its own value to the part of the warp's total that lies before it, so that before[i] is the total after the addition.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long expected = 0;
    for (;;) {
        const double sum = __longlong_as_double((long long)expected) + value;
        const unsigned long long found =
            atomicCAS(word, expected, (unsigned long long)__double_as_longlong(sum));
        if (found == expected) return __longlong_as_double((long long)found);
        expected = found;
    }
}

// What the lanes of a warp that have the same target know about each other.
struct Group {
    int leader;    // the lowest of them
    double ahead;  // what comes before this lane's value
    double all;    // what they add together
};

__device__ Group find_group(std::uint32_t target, double value) {
    const unsigned everybody = 0xffffffffu;
    const int lane = threadIdx.x & 31;
    Group group{lane, 0.0, 0.0};
    for (int other = 0; other < 32; ++other) {
        const std::uint32_t its_target = __shfl_sync(everybody, target, other);
        const double its_value = __shfl_sync(everybody, value, other);
        if (its_target != target) continue;
        if (other < group.leader) group.leader = other;
        group.all += its_value;
        if (other <= lane) group.ahead += its_value;
    }
    return group;
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const bool inside = i < n;
    const std::uint32_t target = inside ? targets[i] : 0xffffffffu;
    const double value = inside ? values[i] : 0.0;

    const Group group = find_group(target, value);
    double base = 0;
    if (inside && group.leader == int(threadIdx.x & 31)) {
        base = atomic_add_double(&totals[target], group.all);
    }
    base = __shfl_sync(0xffffffffu, base, group.leader);
    if (inside) before[i] = base + group.ahead;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemsetAsync(totals, 0, m * sizeof *totals);
    if (n != 0) {
        const unsigned threads = 256;
        const unsigned blocks = unsigned((n + threads - 1) / threads);
        add_kernel<<<blocks, threads>>>(values, targets, n, totals, before);
    }
}
