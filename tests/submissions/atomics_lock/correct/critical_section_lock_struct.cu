// expect: critical_section=accepted
// A Lock that owns its mutex in device memory; thread 0 of each block takes it, after the whole
// block has found the section's maximum by halves in shared memory.
#include "interface.cuh"

struct Lock {
    int* mutex = nullptr;
    __device__ void lock() {
        while (atomicCAS(mutex, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

/// What has to happen as one step. volatile: other blocks change these words.
__device__ void enter(std::int64_t v, std::int64_t p, std::uint32_t s, volatile std::int64_t* best,
                      volatile std::uint64_t* record, std::uint32_t* order) {
    if (record[0] == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[record[0]] = s;
    record[0] = record[0] + 1;
    record[1] = record[1] * checksum_multiplier + (s + 1);
}

__global__ void sections_enter(const std::int32_t* values, std::size_t length, std::int64_t* best,
                               std::uint64_t* record, std::uint32_t* order, Lock lock) {
    __shared__ std::size_t place[128];
    const std::size_t first = blockIdx.x * length;
    std::size_t mine = first + threadIdx.x % length;
    for (std::size_t i = mine + blockDim.x; i < first + length; i += blockDim.x) {
        if (values[i] > values[mine]) mine = i;
    }
    place[threadIdx.x] = mine;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            const std::size_t a = place[threadIdx.x], b = place[threadIdx.x + half];
            if (values[b] > values[a] || (values[b] == values[a] && b < a)) place[threadIdx.x] = b;
        }
    }
    if (threadIdx.x == 0) {
        lock.lock();
        enter(values[place[0]], static_cast<std::int64_t>(place[0]), blockIdx.x, best, record,
              order);
        lock.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    Lock lock;
    cudaMalloc(&lock.mutex, sizeof(int));
    cudaMemset(lock.mutex, 0, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof *record);
    sections_enter<<<static_cast<unsigned>(sections), 128>>>(values, length, best, record, order,
                                                             lock);
    cudaFree(lock.mutex);
}
