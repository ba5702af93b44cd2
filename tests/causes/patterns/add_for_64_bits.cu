// cause: no_retry line 11
// task: scatter
// A compare-and-swap that fails is tried a second time but not again, so that amounts get lost where more than two threads meet.
#include "interface.cuh"

// atomicAdd knows no signed 64-bit integers, so here is one
__device__ void add64(std::int64_t* where, std::int64_t amount) {
    unsigned long long* word = (unsigned long long*)where;
    unsigned long long seen = *(volatile unsigned long long*)word;
    unsigned long long now = atomicCAS(word, seen, seen + amount);
    if (now != seen) {
        // somebody was faster: add to what is there now
        seen = now;
        now = atomicCAS(word, seen, seen + amount);
    }
}

__global__ void zero(std::int64_t* total, std::size_t m) {
    std::size_t t = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (t < m) total[t] = 0;
}

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        std::int64_t* total) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i < n) add64(total + target[i], value[i]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    zero<<<(m + 127) / 128, 128>>>(total, m);
    if (n > 0) scatter<<<(n + 127) / 128, 128>>>(value, target, n, total);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    // TODO
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {
    // TODO
}
