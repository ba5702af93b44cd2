// cause: lock_not_held line 55
// task: critical_section
// the slot of the log is looked up in the record after the ticket lock was passed on; another block may have entered by then, which shows from two sections on
#include "interface.cuh"
#include <cuda_runtime.h>

struct TicketLock {
    unsigned next;
    unsigned serving;

    __device__ void acquire() {
        unsigned mine = atomicAdd(&next, 1u);
        while (atomicAdd(&serving, 0u) != mine) { /* wait */ }
        __threadfence();
    }
    __device__ void release() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

struct Candidate { long long value, place; };

static __device__ bool beats(const Candidate& a, const Candidate& b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

__global__ void run(TicketLock* lock, const std::int32_t* values, std::size_t length,
                    volatile std::int64_t* best, volatile std::uint64_t* record, std::uint32_t* order) {
    const long long start = (long long)(blockIdx.x * length);
    const int lane = threadIdx.x;

    Candidate c{values[start], start};
    for (long long k = lane; k < (long long)length; k += 32) {
        Candidate d{values[start + k], start + k};
        if (beats(d, c)) c = d;
    }
    for (int m = 16; m >= 1; m >>= 1) {
        Candidate d;
        d.value = __shfl_xor_sync(0xffffffff, c.value, m);
        d.place = __shfl_xor_sync(0xffffffff, c.place, m);
        if (beats(d, c)) c = d;
    }

    if (lane == 0) {
        lock->acquire();
        Candidate now{best[0], best[1]};
        if (record[0] == 0 || beats(c, now)) {
            best[0] = c.value;
            best[1] = c.place;
        }
        record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
        record[0] = record[0] + 1;
        lock->release();
        order[record[0] - 1] = blockIdx.x;
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static TicketLock* lock = nullptr;
    if (!lock) cudaMalloc(&lock, sizeof(TicketLock));
    cudaMemset(lock, 0, sizeof(TicketLock));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    cudaMemset(best, 0, 2 * sizeof(std::int64_t));
    run<<<(unsigned)sections, 32>>>(lock, values, length, best, record, order);
}
