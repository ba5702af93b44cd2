// cause: lock_not_held line 85
// task: critical_section
// `Guard{lock};` makes a temporary, which locks and unlocks within its own statement: the record is changed without the lock.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 128;

/// 0 is free, 1 is taken.
struct Lock {
    int* word;

    __device__ void lock() {
        while (atomicCAS(word, 0, 1) != 0) __nanosleep(64);
        __threadfence();  // do not look at the record before we have the lock
    }
    __device__ void unlock() {
        __threadfence();  // the record first, then the lock
        atomicExch(word, 0);
    }
};

/// Holds a lock from its construction to the end of its scope, so that no path forgets to unlock.
class Guard {
    Lock& held;

public:
    __device__ explicit Guard(Lock& lock) : held(lock) { held.lock(); }
    __device__ ~Guard() { held.unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
};

/// A value and its place; the better of two is the larger, and of equals the one in front.
struct Candidate {
    std::int64_t value, place;

    __device__ bool better_than(const Candidate& other) const {
        return value > other.value || (value == other.value && place < other.place);
    }
};

/// What all sections share
struct Record {
    volatile std::int64_t* best;
    volatile std::uint64_t* record;
    volatile std::uint32_t* order;

    __device__ void enter(std::size_t section, const Candidate& c) const {
        const std::uint64_t entries = record[0];
        if (entries == 0 || c.better_than(Candidate{best[0], best[1]})) {
            best[0] = c.value;
            best[1] = c.place;
        }
        order[entries] = static_cast<std::uint32_t>(section);
        record[1] = record[1] * checksum_multiplier + (section + 1);
        record[0] = entries + 1;
    }
};

__global__ void enter_sections(const std::int32_t* values, std::size_t length, Record shared_record,
                               Lock lock) {
    __shared__ Candidate candidates[kThreads];
    const std::size_t section = blockIdx.x;
    const std::int64_t begin = static_cast<std::int64_t>(section * length);
    const std::int64_t end = begin + static_cast<std::int64_t>(length);

    // All threads search, outside of the lock. The first element is everybody's first candidate.
    Candidate mine{values[begin], begin};
    for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
        const Candidate next{values[i], i};
        if (next.better_than(mine)) mine = next;
    }
    candidates[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && candidates[threadIdx.x + half].better_than(candidates[threadIdx.x]))
            candidates[threadIdx.x] = candidates[threadIdx.x + half];
        __syncthreads();
    }

    // One of them enters what they have found.
    if (threadIdx.x == 0) {
        Guard{lock};
        shared_record.enter(section, candidates[0]);
    }
}

/// The word of the lock, in device memory; it is free when the program starts.
__device__ int lock_word = 0;

}  // namespace

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    void* word = nullptr;
    cudaGetSymbolAddress(&word, lock_word);
    enter_sections<<<static_cast<unsigned>(sections), kThreads>>>(
        values, length, Record{best, record, order}, Lock{static_cast<int*>(word)});
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
