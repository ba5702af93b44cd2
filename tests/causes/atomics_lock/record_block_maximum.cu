// cause: lock_not_held line 56
// task: critical_section
// The place in the log is read before the lock is taken, so two sections can get the same slot.
#include "interface.cuh"

struct Lock {
    unsigned int word;

    __device__ void lock() {
        while (atomicCAS(&word, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&word, 0u);
    }
};

__device__ Lock the_lock = {0};

// One block per section: search the largest value together, then thread 0 enters it.
__global__ void enter(const std::int32_t* values, std::size_t length, volatile std::int64_t* best,
                      volatile std::uint64_t* record, volatile std::uint32_t* order) {
    __shared__ std::int64_t value[128];
    __shared__ std::int64_t place[128];
    const std::size_t s = blockIdx.x;
    const int t = threadIdx.x;

    std::int64_t v = INT64_MIN, p = INT64_MAX;
    for (std::size_t k = t; k < length; k += blockDim.x) {
        const std::int64_t x = values[s * length + k];
        if (x > v) {
            v = x;
            p = s * length + k;
        }
    }
    value[t] = v;
    place[t] = p;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) {
            const bool better = value[t + half] > value[t] ||
                                (value[t + half] == value[t] && place[t + half] < place[t]);
            if (better) {
                value[t] = value[t + half];
                place[t] = place[t + half];
            }
        }
        __syncthreads();
    }
    if (t != 0) return;
    v = value[0];
    p = place[0];

    const std::uint64_t entries = record[0];
    the_lock.lock();
    if (entries == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[entries] = static_cast<std::uint32_t>(s);
    record[0] = entries + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    the_lock.unlock();
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    enter<<<static_cast<unsigned>(sections), 128>>>(values, length, best, record, order);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*, const std::int64_t*,
               std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*,
                std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {}
