// cause: lock_not_held line 64
// task: critical_section
// The log is written after the lock has been given back, by a record[0] that other blocks may have counted up meanwhile.
#include "interface.cuh"

class Lock {
public:
    __device__ explicit Lock(unsigned* word) : word_(word) {}
    __device__ void lock() {
        while (atomicExch(word_, 1u) != 0u) {}
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(word_, 0u);
    }

private:
    unsigned* word_;
};

// A value and its place as one key: the larger key has the larger value, or the smaller place.
struct Entry {
    std::int64_t value;
    std::int64_t place;
    __device__ bool better_than(Entry o) const {
        return value > o.value || (value == o.value && place < o.place);
    }
};

__device__ Entry warp_best(Entry e) {
    for (int delta = 16; delta > 0; delta >>= 1) {
        Entry o{__shfl_down_sync(~0u, e.value, delta), __shfl_down_sync(~0u, e.place, delta)};
        if (o.better_than(e)) e = o;
    }
    return e;
}

// blocks of one warp, one per section
__global__ void enter(const std::int32_t* values, std::size_t length, unsigned* word,
                      volatile std::int64_t* best, volatile std::uint64_t* record,
                      volatile std::uint32_t* order) {
    const std::int64_t begin = blockIdx.x * length;
    const std::int64_t end = begin + length;
    Entry mine{INT64_MIN, INT64_MAX};
    for (std::int64_t p = begin + threadIdx.x; p < end; p += 32) {
        Entry e{values[p], p};
        if (e.better_than(mine)) mine = e;
    }
    mine = warp_best(mine);
    if (threadIdx.x != 0) return;

    const std::uint64_t s = blockIdx.x;
    Lock lock(word);
    lock.lock();
    const std::uint64_t entered = record[0];
    if (entered == 0 || mine.better_than(Entry{best[0], best[1]})) {
        best[0] = mine.value;
        best[1] = mine.place;
    }
    record[1] = record[1] * checksum_multiplier + (s + 1);
    record[0] = entered + 1;
    lock.unlock();
    order[record[0] - 1] = s;
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static unsigned* word = nullptr;
    if (word == nullptr) cudaMalloc(&word, sizeof(unsigned));
    cudaMemset(word, 0, sizeof(unsigned));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    enter<<<sections, 32>>>(values, length, word, best, record, order);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}
