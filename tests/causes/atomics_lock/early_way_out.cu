// cause: lock_not_released line 35
// task: critical_section
// A section that does not beat the maximum returns from the kernel with the lock still taken, and all later ones wait for ever.
#include "interface.cuh"

__device__ int mutex_word;

__device__ void mutex_lock()   { while (atomicExch(&mutex_word, 1) == 1) ; __threadfence(); }
__device__ void mutex_unlock() { __threadfence(); atomicExch(&mutex_word, 0); }

__global__ void mutex_init() { mutex_word = 0; }

// one block = one section = one thread
__global__ void enter(const int32_t* values, size_t length, volatile int64_t* best,
                      volatile uint64_t* record, volatile uint32_t* order)
{
    unsigned s = blockIdx.x;
    size_t first = s * length;

    int32_t v = values[first];
    int64_t p = first;
    for (size_t k = first + 1; k < first + length; k++) {
        if (values[k] > v) {
            v = values[k];
            p = k;
        }
    }

    mutex_lock();
    uint64_t turn = record[0];
    order[turn] = s;
    record[0] = turn + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
    if (turn > 0 && (v < best[0] || (v == best[0] && p > best[1]))) {
        return;
    }
    best[0] = v;
    best[1] = p;
    mutex_unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order)
{
    mutex_init<<<1, 1>>>();
    cudaMemset(record, 0, 2 * sizeof(uint64_t));
    enter<<<sections, 1>>>(values, length, best, record, order);
}
