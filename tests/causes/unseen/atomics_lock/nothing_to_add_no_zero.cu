// cause: uninitialised_output line 29 or 30
// task: add_double
// with n = 0 the function returns before the totals are set to 0; shows in the case without elements only.
#include "interface.cuh"

typedef unsigned long long ull;

/* old value is returned, like atomicAdd */
__device__ static double atomic_add_double(double *address, double value) {
    ull *p = (ull *)address;
    ull old = 0, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, (ull)__double_as_longlong(__longlong_as_double((long long)assumed) + value));
    } while (old != assumed);
    return __longlong_as_double((long long)old);
}

__global__ void k_add(const double *v, const uint32_t *tgt, size_t n, double *tot, double *bef) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bef[i] = atomic_add_double(&tot[tgt[i]], v[i]);
    }
}

void add_double(const double *values, const uint32_t *targets, size_t n,
                double *totals, size_t m, double *before) {
    int tpb = 192;
    if (n == 0) return;
    cudaMemsetAsync(totals, 0, m * sizeof(double), 0);
    k_add<<<(n + tpb - 1) / tpb, tpb>>>(values, targets, n, totals, before);
}
