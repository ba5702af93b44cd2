// expect: critical_section=data_race
// report: global_race 25 26, global_race 25 27, global_race 25 30, global_race 26 26, global_race 27 27, global_race 29 30, global_race 30 30, global_race 31 31
// A lock without fences. On hardware a block may read the record as it was before the last holder
// changed it, or not, from run to run; the emulated GPU never does, but its checkers see it.
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

__global__ void sections_enter(const std::int32_t* values, std::size_t length, std::int64_t* best,
                               std::uint64_t* record, std::uint32_t* order) {
    if (threadIdx.x != 0) return;
    const std::int64_t p = place_of_largest(values, blockIdx.x, length);
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    if (record[0] == 0 || values[p] > best[0] || (values[p] == best[0] && p < best[1])) {
        best[0] = values[p];
        best[1] = p;
    }
    order[record[0]] = blockIdx.x;
    record[0] += 1;
    record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
    atomicExch(&mutex, 0);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    sections_enter<<<static_cast<unsigned>(sections), 32>>>(values, length, best, record, order);
}
