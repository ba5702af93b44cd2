// cause: wrong_shuffle_mask line 32 or 37
// task: add_double
// The lanes beyond n have returned, but the mask of the warp functions names all 32 lanes.
#include "interface.cuh"

#define TPB 256
typedef unsigned long long u64;

/* old value; NaNs are fine because only bits are compared */
__device__ double atomic_add_double(double *address, double value)
{
    u64 *a = (u64 *)address;
    u64 cur = *(volatile u64 *)a;
    for (;;) {
        double next = __longlong_as_double(cur) + value;
        u64 prev = atomicCAS(a, cur, (u64)__double_as_longlong(next));
        if (prev == cur)
            return __longlong_as_double(cur);
        cur = prev;
    }
}

/*
 * Lanes of a warp that have the same target go as one: the lowest of them (the leader) adds the sum
 * of all, then each lane finds its own old value from the leader's.
 */
__global__ void k_add(const double *values, const uint32_t *targets, size_t n, double *totals,
                      double *before)
{
    size_t i = blockIdx.x * (size_t)TPB + threadIdx.x;
    int lane = threadIdx.x % 32;
    if (i >= n)
        return;

    uint32_t target = targets[i];
    double v = values[i];
    unsigned everyone = 0xffffffffu;
    unsigned peers = __match_any_sync(everyone, target);
    int leader = __ffs(peers) - 1;

    double below = 0.0; /* sum of the peers in lower lanes */
    double all = 0.0;   /* sum of all peers */
    for (int k = 0; k < 32; k++) {
        double x = __shfl_sync(everyone, v, k);
        if (peers >> k & 1) {
            if (k < lane)
                below += x;
            all += x;
        }
    }

    double start = 0.0;
    if (lane == leader)
        start = atomic_add_double(&totals[target], all);
    start = __shfl_sync(everyone, start, leader);
    before[i] = start + below;
}

void add_double(const double *values, const std::uint32_t *targets, std::size_t n, double *totals,
                std::size_t m, double *before)
{
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0)
        return;
    k_add<<<(n + TPB - 1) / TPB, TPB>>>(values, targets, n, totals, before);
}
