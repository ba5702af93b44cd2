// expect: add_double=accepted
// Lanes with the same target send one lane, which adds the sum of all; each lane's old value
// follows from the sum of the lanes below it.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *word, assumed;
    do {
        assumed = old;
        const double sum = __longlong_as_double(static_cast<long long>(assumed)) + value;
        old = atomicCAS(word, assumed, static_cast<unsigned long long>(__double_as_longlong(sum)));
    } while (old != assumed);
    return __longlong_as_double(static_cast<long long>(old));
}

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    double* totals, double* before) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;
    const unsigned lane = threadIdx.x % 32;
    const unsigned peers = __match_any_sync(active, targets[i]);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    double below = 0, all = 0;
    for (unsigned k = 0; k < 32; ++k) {
        if ((peers >> k & 1) == 0) continue;
        const double v = __shfl_sync(peers, values[i], static_cast<int>(k));
        if (k < lane) below += v;
        all += v;
    }
    double old = 0;
    if (static_cast<int>(lane) == leader) old = atomic_add_double(totals + targets[i], all);
    before[i] = __shfl_sync(peers, old, leader) + below;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    add<<<static_cast<unsigned>((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}
