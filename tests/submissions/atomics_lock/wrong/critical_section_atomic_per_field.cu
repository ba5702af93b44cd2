// expect: critical_section=data_race
// report: global_race 24 24
// Each field with an atomic of its own: every one is right by itself, but they do not belong
// together. Place and value come from different blocks, the checksum from another order than the
// log.
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

__global__ void sections_enter(const std::int32_t* values, std::size_t length, std::int64_t* best,
                               std::uint64_t* record, std::uint32_t* order) {
    if (threadIdx.x != 0) return;
    const std::int64_t p = place_of_largest(values, blockIdx.x, length), v = values[p];
    const auto slot = atomicAdd(reinterpret_cast<unsigned long long*>(record), 1ull);
    order[slot] = blockIdx.x;
    if (atomicMax(reinterpret_cast<long long*>(best), static_cast<long long>(v)) < v) best[1] = p;
    auto* checksum = reinterpret_cast<unsigned long long*>(record + 1);
    unsigned long long old = *checksum, assumed;
    do {
        assumed = old;
        old = atomicCAS(checksum, assumed, assumed * checksum_multiplier + (blockIdx.x + 1));
    } while (old != assumed);
}

__global__ void start(std::int64_t* best) { best[0] = INT64_MIN; }

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    start<<<1, 1>>>(best);
    sections_enter<<<static_cast<unsigned>(sections), 32>>>(values, length, best, record, order);
}
