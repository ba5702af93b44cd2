// cause: lock_not_initialised line 58 or 59
// task: critical_section
// The lock's word comes from cudaMalloc and is never set to 0, so a thread may wait for a lock that nobody holds.
#include "interface.cuh"

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

struct Lock {
    int *mutex;

    __device__ void lock()
    {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
    }

    __device__ void unlock()
    {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

// One block with one thread per section.
__global__ void sectionKernel(const int *values, size_t length, volatile long long *best,
                              volatile unsigned long long *record, volatile unsigned int *order,
                              Lock lock, unsigned long long multiplier)
{
    size_t s = blockIdx.x;

    // search before locking
    size_t place = s * length;
    int v = values[place];
    for (size_t j = 1; j < length; j++) {
        if (values[s * length + j] > v) {
            v = values[s * length + j];
            place = s * length + j;
        }
    }

    lock.lock();
    unsigned long long entries = record[0];
    if (entries == 0 || v > best[0] || (v == best[0] && (long long)place < best[1])) {
        best[0] = v;
        best[1] = (long long)place;
    }
    order[entries] = (unsigned int)s;
    record[0] = entries + 1;
    record[1] = record[1] * multiplier + (s + 1);
    lock.unlock();
}

void critical_section(const std::int32_t *values, std::size_t sections, std::size_t length,
                      std::int64_t *best, std::uint64_t *record, std::uint32_t *order)
{
    Lock lock;
    cudaMalloc((void **)&lock.mutex, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    sectionKernel<<<(unsigned int)sections, 1>>>(values, length, (long long *)best,
                                                 (unsigned long long *)record, order, lock,
                                                 checksum_multiplier);
    cudaFree(lock.mutex);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
