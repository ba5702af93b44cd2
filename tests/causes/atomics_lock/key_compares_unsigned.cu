// cause: sign_lost line 9
// task: critical_section
// The value goes into the upper half of an unsigned key as it is: a negative value becomes a huge
// one and beats all positive ones.
#include "interface.cuh"

// Largest value, then smallest place: both in one number, so that a plain maximum does it.
__device__ inline std::uint64_t pack(std::int32_t value, std::uint32_t offset) {
    const std::uint32_t upper = static_cast<std::uint32_t>(value);
    return (static_cast<std::uint64_t>(upper) << 32) | (0xffffffffu - offset);
}

__device__ inline std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }

struct Lock {
    unsigned int ticket;
    unsigned int serving;

    __device__ void lock() {
        const unsigned int mine = atomicAdd(&ticket, 1u);
        while (atomicAdd(&serving, 0u) != mine) {
            __nanosleep(50);
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

__global__ void one_warp_per_section(const std::int32_t* values, std::size_t length,
                                     std::int64_t* best, std::uint64_t* record,
                                     std::uint32_t* order, Lock* door) {
    const std::size_t s = blockIdx.x;
    const std::int32_t* row = values + s * length;

    std::uint64_t key = 0;
    for (std::size_t j = threadIdx.x; j < length; j += warpSize) {
        key = larger(key, pack(row[j], static_cast<std::uint32_t>(j)));
    }
    for (int d = warpSize / 2; d >= 1; d >>= 1) {
        key = larger(key, __shfl_xor_sync(0xffffffffu, key, d));
    }
    if (threadIdx.x > 0) return;

    const std::uint32_t offset = 0xffffffffu - static_cast<std::uint32_t>(key);
    const std::int64_t place = static_cast<std::int64_t>(s * length + offset);
    const std::int64_t value = row[offset];

    door->lock();
    {
        const std::uint64_t entered = record[0];
        const bool first = entered == 0;
        if (first || value > best[0] || (value == best[0] && place < best[1])) {
            best[0] = value;
            best[1] = place;
        }
        order[entered] = static_cast<std::uint32_t>(s);
        record[1] = record[1] * checksum_multiplier + (s + 1);
        record[0] = entered + 1;
    }
    door->unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static Lock* door = nullptr;
    if (!door) cudaMalloc(&door, sizeof(Lock));
    cudaMemset(door, 0, sizeof(Lock));
    cudaMemset(record, 0, 2 * sizeof(*record));
    one_warp_per_section<<<static_cast<unsigned>(sections), 32>>>(values, length, best, record,
                                                                   order, door);
}
