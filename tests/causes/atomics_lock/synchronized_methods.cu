// cause: lock_taken_twice line 30
// task: critical_section
// append() takes the lock that enter() holds already, which a Java monitor allows; this lock is not reentrant, so the first block waits for itself for ever.
#include "interface.cuh"

// The record as a class with synchronized methods.

__device__ int monitor;

class Record {
  public:
    __host__ __device__ Record(std::int64_t* best, std::uint64_t* state, std::uint32_t* order)
        : best(best), state(state), order(order) {}

    // "public synchronized void enter(...)"
    __device__ void enter(std::int64_t value, std::int64_t place, std::uint64_t section,
                          std::uint64_t multiplier) {
        lock();
        if (state[0] == 0 || value > best[0] || (value == best[0] && place < best[1])) {
            best[0] = value;
            best[1] = place;
        }
        append((std::uint32_t)section);
        state[1] = state[1] * multiplier + (section + 1);
        unlock();
    }

    // "private synchronized void append(...)"
    __device__ void append(std::uint32_t section) {
        lock();
        order[state[0]] = section;
        state[0] = state[0] + 1;
        unlock();
    }

  private:
    __device__ void lock() {
        while (atomicCAS(&monitor, 0, 1) != 0) {
            __nanosleep(100);
        }
        __threadfence();
    }

    __device__ void unlock() {
        __threadfence();
        atomicExch(&monitor, 0);
    }

    volatile std::int64_t* best;
    volatile std::uint64_t* state;
    volatile std::uint32_t* order;
};

__global__ void run(const std::int32_t* values, std::size_t length, Record record,
                    std::uint64_t multiplier) {
    // thread 0 of the block searches its section alone, then it enters
    std::size_t first = blockIdx.x * length;
    std::size_t place = first;
    for (std::size_t i = first + 1; i < first + length; i++) {
        if (values[i] > values[place]) {
            place = i;
        }
    }
    record.enter(values[place], (std::int64_t)place, blockIdx.x, multiplier);
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    int open = 0;
    cudaMemcpyToSymbol(monitor, &open, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    run<<<(unsigned)sections, 1>>>(values, length, Record(best, record, order), checksum_multiplier);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}
