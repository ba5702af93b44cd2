// expect: critical_section=data_race
// report: lost_update 35 35, races_unwatched 35
// Maximum, counter and log are updated under the lock, the checksum after it: right as long as the
// blocks come one after the other.
#include "interface.cuh"

/// The first place of the largest value of row s.
__device__ std::int64_t place_of_largest(const std::int32_t* values, std::size_t s,
                                         std::size_t length) {
    std::size_t place = s * length;
    for (std::size_t i = place + 1; i < (s + 1) * length; ++i) {
        if (values[i] > values[place]) place = i;
    }
    return static_cast<std::int64_t>(place);
}

__device__ int mutex;

__global__ void sections_enter(const std::int32_t* values, std::size_t length,
                               volatile std::int64_t* best, volatile std::uint64_t* record,
                               std::uint32_t* order) {
    if (threadIdx.x != 0) return;
    const std::int64_t p = place_of_largest(values, blockIdx.x, length), v = values[p];
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    __threadfence();
    if (record[0] == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[record[0]] = blockIdx.x;
    record[0] = record[0] + 1;
    __threadfence();
    atomicExch(&mutex, 0);
    record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    sections_enter<<<static_cast<unsigned>(sections), 32>>>(values, length, best, record, order);
}
