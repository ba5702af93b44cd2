// cause: lock_not_held line 60
// task: critical_section
// The best value so far is read before the lock is taken, so another block can enter a larger one in between and lose it.
#include "interface.cuh"

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

class Lock {
  public:
    __device__ void lock() {
        while (atomicExch(&taken_, 1u) != 0u) __nanosleep(64);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&taken_, 0u);
    }

  private:
    unsigned taken_;
};

__device__ Lock section_lock;  // all zero: free

struct Candidate {
    std::int64_t value;
    std::int64_t place;
    __device__ bool beats(const Candidate& other) const {
        return value > other.value || (value == other.value && place < other.place);
    }
};

constexpr int kThreads = 64;

__global__ void enter(const std::int32_t* values, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order, std::uint64_t multiplier) {
    __shared__ Candidate found[kThreads];
    const std::size_t s = blockIdx.x;

    // Each thread searches a part of the section ...
    Candidate mine{INT64_MIN, INT64_MAX};
    for (std::size_t j = threadIdx.x; j < length; j += kThreads) {
        const Candidate c{values[s * length + j], static_cast<std::int64_t>(s * length + j)};
        if (c.beats(mine)) mine = c;
    }
    found[threadIdx.x] = mine;
    __syncthreads();

    // ... and the tree finds the block's best.
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && found[threadIdx.x + half].beats(found[threadIdx.x]))
            found[threadIdx.x] = found[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x != 0) return;

    volatile std::int64_t* b = best;
    volatile std::uint64_t* r = record;
    volatile std::uint32_t* log = order;
    const Candidate current{b[0], b[1]};
    section_lock.lock();
    const std::uint64_t entries = r[0];
    if (entries == 0 || found[0].beats(current)) {
        b[0] = found[0].value;
        b[1] = found[0].place;
    }
    log[entries] = static_cast<std::uint32_t>(s);
    r[0] = entries + 1;
    r[1] = r[1] * multiplier + (s + 1);
    section_lock.unlock();
}

__global__ void start(std::int64_t* best, std::uint64_t* record) {
    best[threadIdx.x] = 0;
    record[threadIdx.x] = 0;
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    start<<<1, 2>>>(best, record);
    enter<<<static_cast<unsigned>(sections), kThreads>>>(values, length, best, record, order,
                                                         checksum_multiplier);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
