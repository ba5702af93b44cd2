// cause: wrong_identity line 61
// task: atomic_ops
// cudaMemset sets each byte, so that the product starts as 0x01010101... and not as 1.
#include "interface.cuh"

using u32 = unsigned int;
using u64 = unsigned long long;

// Any other atomic: f says what the word becomes.
template <typename W, typename F>
__device__ void update(W* word, F f) {
    W seen = atomicAdd(word, W(0));
    for (;;) {
        const W found = atomicCAS(word, seen, f(seen));
        if (found == seen) return;
        seen = found;
    }
}

__global__ void ops32(const std::uint32_t* words, std::size_t n, u32 limit, u32* r, u32* head,
                      u32* next) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u32 a = words[i];
    atomicAdd(r + 0, a);
    atomicSub(r + 1, a);
    atomicInc(r + 2, limit);
    atomicDec(r + 3, limit);
    atomicMin(r + 4, a);
    atomicMax(r + 5, a);
    atomicAnd(r + 6, a);
    atomicOr(r + 7, a);
    atomicXor(r + 8, a);
    update(r + 9, [a](u32 w) { return w * (a | 1u); });
    next[i] = atomicExch(head, u32(i));
}

__global__ void ops64(const std::uint64_t* longs, std::size_t n, u64 limit, u64* r, u64* head,
                      u64* next) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u64 a = longs[i];
    atomicAdd(r + 0, a);
    atomicAdd(r + 1, 0ull - a);  // there is no atomicSub for 64 bits
    update(r + 2, [limit](u64 w) { return w >= limit ? 0ull : w + 1; });
    update(r + 3, [limit](u64 w) { return w == 0 || w > limit ? limit : w - 1; });
    atomicMin(r + 4, a);
    atomicMax(r + 5, a);
    atomicAnd(r + 6, a);
    atomicOr(r + 7, a);
    atomicXor(r + 8, a);
    update(r + 9, [a](u64 w) { return w * (a | 1ull); });
    next[i] = atomicExch(head, u64(i));
}

template <typename W>
void start_values(W* result, W* head) {
    cudaMemset(result, 0, 10 * sizeof(W));
    cudaMemset(result + 4, 0xff, sizeof(W));  // min
    cudaMemset(result + 6, 0xff, sizeof(W));  // and
    cudaMemset(result + 9, 1, sizeof(W));     // CAS
    cudaMemset(head, 0xff, sizeof(W));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    start_values(result32, head32);
    start_values(result64, head64);
    if (n == 0) return;
    const unsigned blocks = unsigned((n + 255) / 256);
    ops32<<<blocks, 256>>>(words, n, limit, result32, head32, next32);
    ops64<<<blocks, 256>>>(longs, n, limit, reinterpret_cast<u64*>(result64),
                           reinterpret_cast<u64*>(head64), reinterpret_cast<u64*>(next64));
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {}
