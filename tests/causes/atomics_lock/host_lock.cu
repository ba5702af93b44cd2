// cause: host_pointer_in_kernel line 51
// task: critical_section
// The lock is a variable of the host, and the kernel gets its address there.
#include "interface.cuh"
#include <cstdlib>

typedef struct {
    int taken;
} lock_t;

__device__ void lock_acquire(lock_t *l)
{
    while (atomicCAS(&l->taken, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void lock_release(lock_t *l)
{
    __threadfence();
    atomicExch(&l->taken, 0);
}

/* one block of one thread for each section */
__global__ void section_max(const int *values, size_t length, lock_t *l, std::int64_t *best, std::uint64_t *record,
                            std::uint32_t *order)
{
    size_t s = blockIdx.x, k = s * length, end = k + length;
    size_t where = k;
    for (size_t j = k + 1; j < end; ++j)
        if (values[j] > values[where])
            where = j;
    long long v = values[where];

    lock_acquire(l);
    volatile std::int64_t *vb = best;
    volatile std::uint64_t *vr = record;
    if (vr[0] == 0 || v > vb[0] || (v == vb[0] && (long long)where < vb[1])) {
        vb[0] = v;
        vb[1] = (long long)where;
    }
    ((volatile std::uint32_t *)order)[vr[0]] = (unsigned)s;
    vr[0] = vr[0] + 1;
    vr[1] = vr[1] * checksum_multiplier + (s + 1);
    lock_release(l);
}

void critical_section(const std::int32_t *values, std::size_t sections, std::size_t length, std::int64_t *best,
                      std::uint64_t *record, std::uint32_t *order)
{
    lock_t *l = (lock_t *)malloc(sizeof(lock_t));
    l->taken = 0;
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    section_max<<<(unsigned)sections, 1>>>(values, length, l, best, record, order);
    cudaDeviceSynchronize();
    free(l);
}
