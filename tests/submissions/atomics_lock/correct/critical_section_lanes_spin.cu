// expect: critical_section=accepted
// expect-gpu: skip
// report: hangs_before_volta 39
// Every lane of a warp spins in `while (atomicCAS(...) != 0)`. In lockstep the lane that got the
// lock would wait for those that did not, for ever; with independent thread scheduling (since
// Volta) it gets on. It works there, by the grace of the compiler's choice of where lanes meet
// again.
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

__device__ int mutex;

__global__ void sections_enter(const std::int32_t* values, std::size_t sections, std::size_t length,
                               std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    const std::size_t s = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (s >= sections) return;
    const std::int64_t p = place_of_largest(values, s, length);
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    __threadfence();
    enter(values[p], p, static_cast<std::uint32_t>(s), best, record, order);
    __threadfence();
    atomicExch(&mutex, 0);
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    sections_enter<<<static_cast<unsigned>((sections + 31) / 32), 32>>>(values, sections, length,
                                                                        best, record, order);
}
