// expect: critical_section=barrier_divergence
// expect-gpu: skip
// report: barrier_divergence 36, barrier_divergence 44
// Thread 0 waits at a barrier inside its branch while the others wait at the one after it.
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

__global__ void sections_enter(const std::int32_t* values, std::size_t length, std::int64_t* best,
                               std::uint64_t* record, std::uint32_t* order) {
    __shared__ std::int64_t place;
    if (threadIdx.x == 0) {
        place = place_of_largest(values, blockIdx.x, length);
        __syncthreads();
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        __threadfence();
        enter(values[place], place, blockIdx.x, best, record, order);
        __threadfence();
        atomicExch(&mutex, 0);
    }
    __syncthreads();
    if (threadIdx.x == 32 && place < 0) order[0] = 0;
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof *record);
    sections_enter<<<static_cast<unsigned>(sections), 64>>>(values, length, best, record, order);
}
