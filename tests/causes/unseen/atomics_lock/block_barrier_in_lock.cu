// cause: divergent_barrier line 15
// task: critical_section
// lock() has a barrier of the block where a memory fence belongs, and only thread 0 calls it; shows in every case.
#include "interface.cuh"

namespace {

struct TicketLock {
    unsigned next;
    unsigned serving;

    __device__ void lock() {
        const unsigned mine = atomicAdd(&next, 1u);
        while (atomicAdd(&serving, 0u) != mine) {}
        __syncthreads();
    }

    __device__ void unlock() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

constexpr int kThreads = 96;

__global__ void kernel(const std::int32_t* values, std::size_t length, TicketLock* gate,
                       std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    __shared__ int top;
    __shared__ unsigned long long where;

    const std::int32_t* row = values + blockIdx.x * length;
    if (threadIdx.x == 0) {
        top = row[0];
        where = ~0ull;
    }
    __syncthreads();
    for (std::size_t c = threadIdx.x; c < length; c += kThreads) atomicMax(&top, row[c]);
    __syncthreads();
    for (std::size_t c = threadIdx.x; c < length; c += kThreads)
        if (row[c] == top) atomicMin(&where, blockIdx.x * length + c);
    __syncthreads();

    if (threadIdx.x == 0) {
        const std::int64_t v = top;
        const std::int64_t p = static_cast<std::int64_t>(where);
        volatile std::int64_t* b = best;
        volatile std::uint64_t* r = record;

        gate->lock();
        const std::uint64_t count = r[0];
        if (count == 0 || v > b[0] || (v == b[0] && p < b[1])) {
            b[0] = v;
            b[1] = p;
        }
        order[count] = blockIdx.x;
        r[0] = count + 1;
        r[1] = r[1] * checksum_multiplier + (blockIdx.x + 1);
        gate->unlock();
    }
}

}  // namespace

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static TicketLock* gate = nullptr;
    if (!gate) cudaMalloc(&gate, sizeof *gate);
    cudaMemset(gate, 0, sizeof *gate);
    cudaMemset(record, 0, 2 * sizeof *record);
    kernel<<<static_cast<unsigned>(sections), kThreads>>>(values, length, gate, best, record, order);
}
