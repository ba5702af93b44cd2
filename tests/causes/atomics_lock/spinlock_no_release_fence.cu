// cause: missing_fence line 20
// task: critical_section
// unlock() frees the lock without a fence after the writes to the record, so the next holder may read an old record; a data race from two sections on
#include "interface.cuh"
#include <cuda_runtime.h>

class Lock {
    int* state;
public:
    Lock() {
        cudaMalloc(&state, sizeof(int));
        cudaMemset(state, 0, sizeof(int));
    }
    __device__ void lock() const {
        while (atomicCAS(state, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ void unlock() const {
        atomicExch(state, 0);
    }
};

constexpr int kBlock = 128;

__global__ void enter(Lock guard, const std::int32_t* values, std::size_t length,
                      volatile std::int64_t* best, volatile std::uint64_t* record,
                      volatile std::uint32_t* order) {
    __shared__ std::int32_t val[kBlock];
    __shared__ std::size_t pos[kBlock];
    const std::size_t s = blockIdx.x;
    const unsigned t = threadIdx.x;

    std::int32_t v = values[s * length];
    std::size_t p = s * length;
    for (std::size_t k = t; k < length; k += kBlock) {
        const std::int32_t x = values[s * length + k];
        if (x > v) {
            v = x;
            p = s * length + k;
        }
    }
    val[t] = v;
    pos[t] = p;
    for (unsigned h = kBlock / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h) {
            const bool better = val[t + h] > val[t] || (val[t + h] == val[t] && pos[t + h] < pos[t]);
            if (better) {
                val[t] = val[t + h];
                pos[t] = pos[t + h];
            }
        }
    }

    if (t == 0) {
        const std::int64_t bv = val[0], bp = static_cast<std::int64_t>(pos[0]);
        guard.lock();
        const std::uint64_t count = record[0];
        if (count == 0 || bv > best[0] || (bv == best[0] && bp < best[1])) {
            best[0] = bv;
            best[1] = bp;
        }
        order[count] = static_cast<std::uint32_t>(s);
        record[0] = count + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
        guard.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static const Lock guard;
    cudaMemset(record, 0, 2 * sizeof *record);
    enter<<<static_cast<unsigned>(sections), kBlock>>>(guard, values, length, best, record, order);
}
