// cause: missing_warp_sync line 35
// task: critical_section
// In the steps of the last warp nothing makes the lanes wait for each other: a lane may read a key that its
// neighbour is still to write.
#include "interface.cuh"

#define BLOCK 128

#define CHECK(call)                                  \
    do {                                             \
        if ((call) != cudaSuccess) return;           \
    } while (0)

typedef unsigned long long Key;

// large value first, then small place: one number that can be compared
__device__ Key make_key(std::int32_t value, unsigned place) {
    return ((Key)((unsigned)value ^ 0x80000000u) << 32) | (0xffffffffu - place);
}

struct Lock {
    int* state;
    __device__ void lock() {
        while (atomicExch(state, 1) == 1) __nanosleep(100);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(state, 0);
    }
};

__device__ void last_warp(Key* key, unsigned t) {
    for (unsigned d = 32; d > 0; d >>= 1) {
        if (t < d && key[t + d] > key[t]) key[t] = key[t + d];
    }
}

__global__ void sections_kernel(const std::int32_t* values, std::size_t length, Lock guard,
                                volatile std::int64_t* best, volatile std::uint64_t* record,
                                volatile std::uint32_t* order) {
    __shared__ Key key[BLOCK];
    const unsigned t = threadIdx.x;
    const std::size_t first = blockIdx.x * length;

    Key mine = 0;
    for (std::size_t j = t; j < length; j += BLOCK) {
        Key k = make_key(values[first + j], (unsigned)j);
        if (k > mine) mine = k;
    }
    key[t] = mine;
    __syncthreads();
    if (t < 64 && key[t + 64] > key[t]) key[t] = key[t + 64];
    __syncthreads();
    if (t < 32) last_warp(key, t);

    if (t != 0) return;
    const std::int64_t v = (std::int32_t)((unsigned)(key[0] >> 32) ^ 0x80000000u);
    const std::int64_t p = (std::int64_t)(first + (0xffffffffu - (unsigned)key[0]));
    guard.lock();
    std::uint64_t turn = record[0];
    if (turn == 0 || v > best[0] || (v == best[0] && p < best[1])) {
        best[0] = v;
        best[1] = p;
    }
    order[turn] = blockIdx.x;
    record[0] = turn + 1;
    record[1] = record[1] * checksum_multiplier + (blockIdx.x + 1);
    guard.unlock();
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static Lock guard = {nullptr};
    if (guard.state == nullptr) CHECK(cudaMalloc(&guard.state, sizeof(int)));
    CHECK(cudaMemset(guard.state, 0, sizeof(int)));
    CHECK(cudaMemset(record, 0, 2 * sizeof(std::uint64_t)));
    sections_kernel<<<sections, BLOCK>>>(values, length, guard, best, record, order);
}
