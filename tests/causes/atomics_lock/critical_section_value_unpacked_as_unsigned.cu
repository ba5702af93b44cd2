// cause: sign_lost line 28
// task: critical_section
// the value is taken out of the packed key as an unsigned number, so negative ones become about 4 billion; wrong when the largest of a section is below 0
#include "interface.cuh"

/*
 * critical_section
 *
 * One warp per section. Value and place are packed into one key of 64 bits, so that a plain max of
 * keys finds the largest value and, where it occurs twice, the first place:
 *
 *      63         32 31          0
 *     [ value, sign | ~place      ]
 *     [ bit flipped |             ]
 */

typedef unsigned long long u64;

#define SIGN_BIT 0x80000000u
#define WARP 32

__device__ u64 pack(int value, unsigned place) {
    const unsigned sortable = static_cast<unsigned>(value) ^ SIGN_BIT;
    return (static_cast<u64>(sortable) << 32) | ~place;
}

__device__ long long value_of(u64 key) {
    return static_cast<unsigned>(key >> 32) ^ SIGN_BIT;
}

__device__ long long place_of(u64 key) {
    return ~static_cast<unsigned>(key);
}

__device__ u64 warp_max(u64 key) {
    for (int d = WARP / 2; d > 0; d >>= 1) {
        const u64 other = __shfl_xor_sync(0xffffffffu, key, d);
        if (other > key) key = other;
    }
    return key;
}

class Lock {
public:
    explicit Lock(int* word) : word_(word) {}
    __device__ void lock() {
        while (atomicExch(word_, 1) == 1) {
            __nanosleep(100);
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(word_, 0);
    }

private:
    int* word_;
};

__global__ void sections_kernel(const int* values, size_t length, long long* best, u64* record,
                                unsigned* order, Lock guard) {
    const size_t first = blockIdx.x * length;

    u64 key = 0;  // less than every key
    for (size_t k = threadIdx.x; k < length; k += WARP) {
        const u64 candidate = pack(values[first + k], static_cast<unsigned>(first + k));
        if (candidate > key) key = candidate;
    }
    key = warp_max(key);

    if (threadIdx.x == 0) {
        const long long v = value_of(key);
        const long long p = place_of(key);

        guard.lock();
        const u64 turn = record[0];
        if (turn == 0 || v > best[0] || (v == best[0] && p < best[1])) {
            best[0] = v;
            best[1] = p;
        }
        order[turn] = blockIdx.x;
        record[0] = turn + 1;
        record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
        guard.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static int* mutex = nullptr;
    if (!mutex) {
        cudaMalloc(&mutex, sizeof(int));
    }
    cudaMemset(mutex, 0, sizeof(int));
    cudaMemset(record, 0, 2 * sizeof(u64));

    sections_kernel<<<static_cast<unsigned>(sections), WARP>>>(
        values, length, reinterpret_cast<long long*>(best), reinterpret_cast<u64*>(record), order,
        Lock(mutex));
}

// Task 1. Write this device function from a 64-bit atomicCAS, and a kernel that uses it:
//     __device__ double atomic_add_double(double* address, double value);   // returns the old
//     value
void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

// Task 3. One lock per account; every thread takes two of them.
void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

// Task 4. Each atomic operation that CUDA has, on words of 32 and of 64 bits.
void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}
