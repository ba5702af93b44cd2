// cause: missing_fence line 15
// task: critical_section
// unlock gives the lock free without a fence before it, so the next holder may see the lock free and the old record.
#include "interface.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

struct Mutex {
    int* state;
    __device__ explicit Mutex(int* s) : state(s) {
        while (atomicExch(state, 1) == 1) __nanosleep(64);
        __threadfence();
    }
    __device__ ~Mutex() {
        atomicExch(state, 0);
    }
};
struct Candidate {
    std::int32_t value;
    std::int64_t place;
};

__device__ bool better(const Candidate& a, const Candidate& b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

__device__ int mutexState = 0;

__global__ void __launch_bounds__(32) sectionKernel(const std::int32_t* values, std::size_t length,
                                                    volatile std::int64_t* best, volatile std::uint64_t* record,
                                                    volatile std::uint32_t* order) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const std::int64_t offset = std::int64_t(blockIdx.x) * std::int64_t(length);

    Candidate c{values[offset], offset};
    for (std::int64_t j = warp.thread_rank(); j < std::int64_t(length); j += 32) {
        Candidate other{values[offset + j], offset + j};
        if (better(other, c)) c = other;
    }
    for (int d = 16; d > 0; d /= 2) {
        Candidate other{warp.shfl_xor(c.value, d), warp.shfl_xor(c.place, d)};
        if (better(other, c)) c = other;
    }

    if (warp.thread_rank() == 0) {
        Mutex guard(&mutexState);
        const std::uint64_t entered = record[0];
        if (entered == 0 || c.value > best[0] || (c.value == best[0] && c.place < best[1])) {
            best[0] = c.value;
            best[1] = c.place;
        }
        order[entered] = blockIdx.x;
        record[0] = entered + 1;
        record[1] = record[1] * checksum_multiplier + blockIdx.x + 1;
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order) {
    cudaMemsetAsync(record, 0, 16);
    sectionKernel<<<dim3(unsigned(sections)), dim3(32)>>>(values, length, best, record, order);
}
