// cause: lock_not_held line 76 or 78
// task: critical_section
// Whether the section beats the record is decided before the lock is taken; another block may enter a better one in between.
// Critical section: one block per section.
//   1. the block looks for the largest value of its section (tree in shared memory)
//   2. thread 0 enters it under the lock
// I do everything that I can outside of the lock, to keep it short.
#include "interface.cuh"

#include <climits>

namespace {

constexpr int THREADS = 64;

struct Lock {
    unsigned* word;

    __device__ void lock() {
        while (atomicExch(word, 1u) == 1u) __nanosleep(50);
        __threadfence();
    }

    __device__ void unlock() {
        __threadfence();
        atomicExch(word, 0u);
    }
};

struct Entry {
    long long value;
    long long place;

    __device__ bool beats(const Entry& e) const {
        return value > e.value || (value == e.value && place < e.place);
    }
};

__device__ Entry read_best(const volatile std::int64_t* best) {
    Entry e;
    e.value = best[0];
    e.place = best[1];
    return e;
}

__global__ void prepare(Lock lock, std::int64_t* best, std::uint64_t* record) {
    *lock.word = 0;
    best[0] = LLONG_MIN;  // anything is better than that
    best[1] = LLONG_MAX;
    record[0] = 0;
    record[1] = 0;
}

__global__ void enter(const std::int32_t* __restrict__ values, std::size_t length, Lock lock,
                      std::int64_t* best, volatile std::uint64_t* record,
                      std::uint32_t* order) {
    __shared__ Entry cand[THREADS];
    const int t = threadIdx.x;
    const std::size_t s = blockIdx.x;

    Entry mine{LLONG_MIN, LLONG_MAX};
    for (std::size_t k = t; k < length; k += THREADS) {
        const std::size_t at = s * length + k;
        const Entry e{values[at], static_cast<long long>(at)};
        if (e.beats(mine)) mine = e;
    }
    cand[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half && cand[t + half].beats(cand[t])) cand[t] = cand[t + half];
        __syncthreads();
    }
    if (t != 0) return;

    const Entry winner = cand[0];
    const bool record_broken = winner.beats(read_best(best));

    lock.lock();
    if (record_broken) {
        best[0] = winner.value;
        best[1] = winner.place;
    }
    const std::uint64_t turn = record[0];
    order[turn] = static_cast<std::uint32_t>(s);
    record[0] = turn + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    lock.unlock();
}

}  // namespace

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static Lock lock{nullptr};
    if (!lock.word) cudaMalloc(&lock.word, sizeof(unsigned));
    prepare<<<1, 1>>>(lock, best, record);
    enter<<<static_cast<unsigned>(sections), THREADS>>>(values, length, lock, best, record, order);
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {
    // TODO
}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {
    // TODO
}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {
    // TODO
}
