// cause: wrong_shuffle_mask line 36
// task: add_double
// The loop over the lanes with the same target has another number of turns for each target, but its shuffle names
// all lanes of the warp: those that have left the loop never come.
#include "interface.cuh"

// CAS loop as in the handout. Compares bits, so NaN is fine.
__device__ double atomic_add_double(double* address, double value) {
    unsigned long long* word = (unsigned long long*)address;
    unsigned long long seen = atomicCAS(word, 0ull, 0ull);
    unsigned long long expected;
    do {
        expected = seen;
        double sum = __longlong_as_double((long long)expected) + value;
        seen = atomicCAS(word, expected, (unsigned long long)__double_as_longlong(sum));
    } while (seen != expected);
    return __longlong_as_double((long long)seen);
}

__global__ void add_by_warp(const double* values, const std::uint32_t* targets, std::size_t n,
                            double* totals, double* before) {
    const std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const unsigned everyone = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;

    const std::uint32_t target = targets[i];
    const double value = values[i];

    // who wants the same total as I do?
    const unsigned friends = __match_any_sync(everyone, target);

    double sum = 0, below_me = 0;
    for (unsigned left = friends; left != 0; left &= left - 1) {
        int from = __ffs(left) - 1;
        double x = __shfl_sync(everyone, value, from);
        if (from < lane) below_me += x;
        sum += x;
    }

    // the lowest of us goes for all
    const int leader = __ffs(friends) - 1;
    double start = 0;
    if (lane == leader) start = atomic_add_double(totals + target, sum);
    start = __shfl_sync(friends, start, leader);
    before[i] = start + below_me;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0) return;
    add_by_warp<<<(unsigned)((n + 127) / 128), 128>>>(values, targets, n, totals, before);
}
