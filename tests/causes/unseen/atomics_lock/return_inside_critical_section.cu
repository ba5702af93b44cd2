// cause: lock_not_released line 38
// task: critical_section
// a section that does not change the maximum returns with the lock still held; hangs as soon as a later block wants it.
#include "interface.cuh"

class Lock {
public:
    __device__ void lock() {
        while (atomicCAS(&state, 0, 1) != 0) { }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&state, 0);
    }
private:
    int state;
};

struct Entry {
    int64_t value;
    int64_t place;
    __device__ bool beats(const Entry& o) const {
        return value > o.value || (value == o.value && place < o.place);
    }
};

__device__ void enter(Lock* lock, const Entry& e, uint32_t s, volatile int64_t* best,
                      volatile uint64_t* record, volatile uint32_t* order)
{
    lock->lock();
    const uint64_t k = record[0];
    order[k] = s;
    record[0] = k + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);

    const Entry current = {best[0], best[1]};
    if (k > 0 && !e.beats(current)) return;
    best[0] = e.value;
    best[1] = e.place;
    lock->unlock();
}

__global__ void sectionKernel(const int32_t* values, size_t length, Lock* lock,
                              int64_t* best, uint64_t* record, uint32_t* order)
{
    __shared__ Entry found[128];
    const size_t row = blockIdx.x * length;

    Entry mine = {INT64_MIN, INT64_MAX};
    for (size_t j = threadIdx.x; j < length; j += blockDim.x) {
        const Entry e = {values[row + j], int64_t(row + j)};
        if (e.beats(mine)) mine = e;
    }
    found[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half && found[threadIdx.x + half].beats(found[threadIdx.x]))
            found[threadIdx.x] = found[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) enter(lock, found[0], blockIdx.x, best, record, order);
}

void critical_section(const int32_t* values, size_t sections, size_t length, int64_t* best,
                      uint64_t* record, uint32_t* order)
{
    static Lock* lock = nullptr;
    if (lock == nullptr) cudaMalloc(&lock, sizeof(Lock));
    cudaMemset(lock, 0, sizeof(Lock));
    cudaMemset(record, 0, 2 * sizeof(uint64_t));
    sectionKernel<<<sections, 128>>>(values, length, lock, best, record, order);
}
