// cause: missing_fence line 16
// task: critical_section
// unlock() calls the next ticket without a fence after the record, so that the next block may be let in before it can see what was written.
#include "interface.cuh"

// A ticket lock, as at the butcher's: draw a number, wait until it is called.
class Lock {
  public:
    __device__ void lock() {
        const unsigned ticket = atomicAdd(&drawn_, 1u);
        while (atomicAdd(&called_, 0u) != ticket) {
        }
        __threadfence();
    }
    __device__ void unlock() {
        atomicAdd(&called_, 1u);
    }

  private:
    unsigned drawn_;
    unsigned called_;
};

namespace {

__global__ void find_and_enter(const std::int32_t* values, std::size_t sections, std::size_t length,
                               std::int64_t* best, std::uint64_t* record, std::uint32_t* order,
                               Lock* door) {
    constexpr unsigned full = 0xffffffffu;
    volatile std::int64_t* const top = best;
    volatile std::uint64_t* const count = record;

    for (std::size_t s = blockIdx.x; s < sections; s += gridDim.x) {
        // A block is one warp.
        std::int64_t v = INT64_MIN;
        std::int64_t p = 0;
        for (std::size_t k = threadIdx.x; k < length; k += 32) {
            const std::int64_t candidate = values[s * length + k];
            if (candidate > v) {
                v = candidate;
                p = static_cast<std::int64_t>(s * length + k);
            }
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            const long long other_v = __shfl_down_sync(full, static_cast<long long>(v), offset);
            const long long other_p = __shfl_down_sync(full, static_cast<long long>(p), offset);
            if (other_v > v || (other_v == v && other_p < p)) {
                v = other_v;
                p = other_p;
            }
        }
        if (threadIdx.x == 0) {
            door->lock();
            const std::uint64_t turn = count[0];
            if (turn == 0 || v > top[0] || (v == top[0] && p < top[1])) {
                top[0] = v;
                top[1] = p;
            }
            order[turn] = static_cast<std::uint32_t>(s);
            count[0] = turn + 1;
            count[1] = count[1] * checksum_multiplier + (s + 1);
            door->unlock();
        }
        __syncwarp();
    }
}

}  // namespace

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static Lock* door = nullptr;
    if (!door) cudaMalloc(&door, sizeof(Lock));
    cudaMemset(door, 0, sizeof(Lock));
    cudaMemset(record, 0, 2 * sizeof *record);
    const unsigned blocks = sections < 64 ? static_cast<unsigned>(sections) : 64u;
    find_and_enter<<<blocks, 32>>>(values, sections, length, best, record, order, door);
}
