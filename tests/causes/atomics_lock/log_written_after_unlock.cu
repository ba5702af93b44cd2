// cause: lock_not_held line 46 or 45
// task: critical_section
// The entry in the log is made after the lock was given back: record[0] is read without the lock,
// and by then another block may have raised it.
#include "interface.cuh"

struct Lock {
    int* state;

    __device__ void lock() {
        while (atomicCAS(state, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(state, 0);
    }
};

// One block of one thread does a section.
__global__ void enter(const std::int32_t* values, std::size_t length, volatile std::int64_t* best,
                      volatile std::uint64_t* record, std::uint32_t* order, Lock mutex) {
    std::size_t s = blockIdx.x;

    // search first, no lock is needed for this
    std::size_t place = s * length;
    std::int32_t largest = values[place];
    for (std::size_t p = s * length + 1; p < (s + 1) * length; ++p) {
        if (values[p] > largest) {
            largest = values[p];
            place = p;
        }
    }

    mutex.lock();
    bool better = record[0] == 0 || largest > best[0] ||
                  (largest == best[0] && (std::int64_t)place < best[1]);
    if (better) {
        best[0] = largest;
        best[1] = (std::int64_t)place;
    }
    record[0] = record[0] + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    mutex.unlock();
    order[record[0] - 1] = (std::uint32_t)s;
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static int* word = nullptr;
    if (word == nullptr) {
        cudaMalloc(&word, sizeof(int));
    }
    cudaMemset(word, 0, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));

    Lock mutex{word};
    enter<<<(unsigned)sections, 1>>>(values, length, best, record, order, mutex);
}
