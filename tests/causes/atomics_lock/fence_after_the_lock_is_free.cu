// cause: missing_fence line 30 or 31
// task: critical_section
// unlock() sets the lock free before the fence: another block can see the lock free and still read
// the old record.
#include "interface.cuh"
#include <climits>

#define CHECK(call)                       \
    do {                                  \
        cudaError_t err = (call);         \
        if (err != cudaSuccess) return;   \
    } while (0)

__device__ unsigned int taken;

class Lock {
public:
    __device__ explicit Lock(unsigned int* flag) : flag_(flag) {}

    __device__ void lock() {
        unsigned int ns = 16;
        while (atomicExch(flag_, 1u) != 0u) {
            __nanosleep(ns);
            if (ns < 512) ns *= 2;
        }
        __threadfence();
    }

    __device__ void unlock() {
        atomicExch(flag_, 0u);
        __threadfence();
    }

private:
    unsigned int* flag_;
};

__global__ void resetKernel(std::uint64_t* record) {
    taken = 0;
    record[0] = 0;
    record[1] = 0;
}

__global__ void sectionKernel(const std::int32_t* values, std::size_t length, std::int64_t* best,
                              std::uint64_t* record, std::uint32_t* order) {
    __shared__ std::int32_t maxValue[128];
    __shared__ std::size_t maxPlace[128];
    const int tid = threadIdx.x;
    const std::size_t section = blockIdx.x;
    const std::size_t begin = section * length;

    std::int32_t v = INT_MIN;
    std::size_t at = SIZE_MAX;
    for (std::size_t i = tid; i < length; i += 128) {
        const std::int32_t x = values[begin + i];
        if (x > v || at == SIZE_MAX) {
            v = x;
            at = begin + i;
        }
    }
    maxValue[tid] = v;
    maxPlace[tid] = at;

    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) {
            const std::int32_t w = maxValue[tid + half];
            const std::size_t where = maxPlace[tid + half];
            if (w > maxValue[tid] || (w == maxValue[tid] && where < maxPlace[tid])) {
                maxValue[tid] = w;
                maxPlace[tid] = where;
            }
        }
    }

    if (tid != 0) return;
    const std::int64_t value = maxValue[0];
    const std::int64_t place = static_cast<std::int64_t>(maxPlace[0]);

    Lock guard(&taken);
    guard.lock();
    const std::uint64_t turn = record[0];
    if (turn == 0 || value > best[0] || (value == best[0] && place < best[1])) {
        best[0] = value;
        best[1] = place;
    }
    order[turn] = static_cast<std::uint32_t>(section);
    record[0] = turn + 1;
    record[1] = record[1] * checksum_multiplier + (section + 1);
    guard.unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    resetKernel<<<1, 1>>>(record);
    CHECK(cudaGetLastError());
    sectionKernel<<<static_cast<unsigned>(sections), 128>>>(values, length, best, record, order);
    CHECK(cudaGetLastError());
}
