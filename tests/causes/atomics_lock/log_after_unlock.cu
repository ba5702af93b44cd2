// cause: lock_not_held line 66
// task: critical_section
// The log is written after the lock was given back, at a place read from the counter, which another block may have raised in the meantime: two blocks write to one slot.
#include "interface.cuh"

struct Lock {
    int* state;  // 0 = free, 1 = taken

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

constexpr int THREADS = 128;

__global__ void enter(const std::int32_t* values, std::size_t length, Lock mutex,
                      volatile std::int64_t* best, volatile std::uint64_t* record,
                      volatile std::uint32_t* order) {
    __shared__ std::int32_t top[THREADS];
    __shared__ std::int64_t place[THREADS];
    const std::size_t s = blockIdx.x;
    const int t = threadIdx.x;

    // 1. every thread searches its part of the section
    std::int32_t v = INT32_MIN;
    std::int64_t p = INT64_MAX;
    for (std::size_t i = t; i < length; i += THREADS) {
        std::int32_t x = values[s * length + i];
        if (p == INT64_MAX || x > v) {
            v = x;
            p = std::int64_t(s * length + i);
        }
    }
    top[t] = v;
    place[t] = p;
    __syncthreads();

    // 2. the best one of the block, the first place wins
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            if (top[t + half] > top[t] ||
                (top[t + half] == top[t] && place[t + half] < place[t])) {
                top[t] = top[t + half];
                place[t] = place[t + half];
            }
        }
        __syncthreads();
    }

    // 3. thread 0 enters it; the critical section is as short as possible
    if (t == 0) {
        mutex.lock();
        if (record[0] == 0 || top[0] > best[0] || (top[0] == best[0] && place[0] < best[1])) {
            best[0] = top[0];
            best[1] = place[0];
        }
        record[0] = record[0] + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
        mutex.unlock();
        order[record[0] - 1] = std::uint32_t(s);
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static int* word = nullptr;
    if (word == nullptr) cudaMalloc(&word, sizeof(int));
    cudaMemset(word, 0, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    enter<<<unsigned(sections), THREADS>>>(values, length, Lock{word}, best, record, order);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {}
