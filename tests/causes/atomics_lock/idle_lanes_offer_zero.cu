// cause: wrong_identity line 28
// task: critical_section
// Each lane begins its search with 0: in a section of negative numbers the maximum becomes 0, at no place.
#include "interface.cuh"

#include <climits>

__device__ int flag = 0;  // 0 = free

struct Lock {
    __device__ void lock() {
        while (atomicCAS(&flag, 0, 1) != 0) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&flag, 0);
    }
};

// a block is one warp and takes one section
__global__ void enter(const std::int32_t* values, std::size_t length, volatile std::int64_t* best,
                      volatile std::uint64_t* record, std::uint32_t* order) {
    const std::size_t section = blockIdx.x;
    const std::int32_t* row = values + section * length;

    int largest = 0;
    unsigned long long place = ~0ull;
    for (std::size_t j = threadIdx.x; j < length; j += 32) {
        if (row[j] > largest || (row[j] == largest && place == ~0ull)) {
            largest = row[j];
            place = section * length + j;
        }
    }

    // butterfly over the lanes; for equal values the smaller place wins
    for (int d = 16; d >= 1; d /= 2) {
        int other = __shfl_xor_sync(0xffffffff, largest, d);
        unsigned long long its_place = __shfl_xor_sync(0xffffffff, place, d);
        if (other > largest || (other == largest && its_place < place)) {
            largest = other;
            place = its_place;
        }
    }

    if (threadIdx.x == 0) {
        Lock l;
        l.lock();
        const std::uint64_t entries = record[0];
        const std::int64_t p = (std::int64_t)place;
        if (entries == 0 || largest > best[0] || (largest == best[0] && p < best[1])) {
            best[0] = largest;
            best[1] = p;
        }
        order[entries] = (std::uint32_t)section;
        record[0] = entries + 1;
        record[1] = record[1] * checksum_multiplier + (section + 1);
        l.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    enter<<<(unsigned)sections, 32>>>(values, length, best, record, order);
}
