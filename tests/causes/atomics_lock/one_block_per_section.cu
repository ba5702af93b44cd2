// cause: wrong_identity line 31
// task: critical_section
// The search for the largest value starts at 0, so a section with only negative values enters 0 and no real place.
#include "interface.cuh"

struct Lock {
    int* mutex;

    __device__ void lock() {
        while (atomicCAS(mutex, 0, 1) != 0) {
        }
        __threadfence();
    }

    __device__ void unlock() {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

__device__ int the_mutex = 0;

// One block with one thread per section. The thread finds the maximum first and
// takes the lock only for the update.
__global__ void sectionKernel(const std::int32_t* values, std::size_t length,
                              volatile std::int64_t* best, volatile std::uint64_t* record,
                              volatile std::uint32_t* order) {
    std::size_t s = blockIdx.x;
    const std::int32_t* row = values + s * length;

    std::int32_t largest = 0;
    std::size_t where = s * length;
    for (std::size_t k = 0; k < length; k++) {
        if (row[k] > largest) {
            largest = row[k];
            where = s * length + k;
        }
    }

    Lock lock{&the_mutex};
    lock.lock();
    std::uint64_t entered = record[0];
    if (entered == 0 || largest > best[0] ||
        (largest == best[0] && (std::int64_t)where < best[1])) {
        best[0] = largest;
        best[1] = where;
    }
    order[entered] = s;
    record[0] = entered + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    lock.unlock();
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    sectionKernel<<<sections, 1>>>(values, length, best, record, order);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
