// cause: lock_not_released line 70
// task: critical_section
// A block whose maximum is no better than the record returns between lock() and unlock(), and all later blocks wait for ever; a single section works.
#include "interface.cuh"

#include <climits>

// Each block finds the maximum of its section with shuffles. Value and place are packed into one
// 64-bit key, so that one comparison decides both: a larger value wins, then the smaller place.

typedef unsigned long long u64;

constexpr int THREADS = 128;
constexpr int WARPS = THREADS / 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

struct Lock {
    unsigned* word;

    __device__ void lock() {
        while (atomicCAS(word, 0u, 1u) != 0u) __nanosleep(64);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(word, 0u);
    }
};

struct Record {
    volatile long long* best;
    volatile u64* counters;
    volatile std::uint32_t* order;
};

__device__ u64 pack(std::int32_t value, std::uint32_t column) {
    // bias the value so that it sorts as an unsigned number, turn the column round
    const std::uint32_t high = static_cast<std::uint32_t>(value) ^ 0x80000000u;
    return (static_cast<u64>(high) << 32) | (0xffffffffu - column);
}

__device__ std::int32_t value_of(u64 key) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(key >> 32) ^ 0x80000000u);
}

__device__ std::uint32_t column_of(u64 key) {
    return 0xffffffffu - static_cast<std::uint32_t>(key);
}

__device__ u64 warp_max(u64 key) {
    for (int d = 16; d > 0; d /= 2) {
        const u64 other = __shfl_xor_sync(ALL_LANES, key, d);
        if (other > key) key = other;
    }
    return key;
}

__device__ void enter(Lock mutex, Record r, std::uint32_t section, long long value,
                      long long place) {
    mutex.lock();

    const u64 turn = r.counters[0];
    r.order[turn] = section;
    r.counters[1] = r.counters[1] * checksum_multiplier + (section + 1ull);
    r.counters[0] = turn + 1;

    // Nothing more to do if somebody else has the better one.
    const long long top = r.best[0];
    const bool better = turn == 0 || value > top || (value == top && place < r.best[1]);
    if (!better) return;

    r.best[0] = value;
    r.best[1] = place;
    mutex.unlock();
}

__global__ void sections_kernel(const std::int32_t* values, std::size_t length, Lock mutex,
                                Record r) {
    __shared__ u64 warp_best[WARPS];
    const std::int32_t* row = values + blockIdx.x * length;

    u64 key = 0;
    for (std::size_t c = threadIdx.x; c < length; c += THREADS) {
        const u64 k = pack(row[c], static_cast<std::uint32_t>(c));
        if (k > key) key = k;
    }
    key = warp_max(key);
    if (threadIdx.x % 32 == 0) warp_best[threadIdx.x / 32] = key;
    __syncthreads();

    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; ++w)
            if (warp_best[w] > key) key = warp_best[w];
        const long long place = static_cast<long long>(blockIdx.x * length + column_of(key));
        enter(mutex, r, blockIdx.x, value_of(key), place);
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static unsigned* word = nullptr;
    if (!word) cudaMalloc(&word, sizeof(unsigned));
    cudaMemset(word, 0, sizeof(unsigned));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));

    Record r;
    r.best = reinterpret_cast<long long*>(best);
    r.counters = reinterpret_cast<u64*>(record);
    r.order = order;
    sections_kernel<<<static_cast<unsigned>(sections), THREADS>>>(values, length, Lock{word}, r);
}
