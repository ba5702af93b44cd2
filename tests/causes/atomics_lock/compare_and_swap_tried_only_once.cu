// cause: no_retry line 17
// task: atomic_ops
// the update built from atomicCAS is tried once, and lost when another thread was faster: results 9, and 2 and 3 in 64 bits, from two elements on
#include "interface.cuh"

// The whole family. What has no instruction of its own is built from atomicCAS.

using u32 = std::uint32_t;
using u64 = unsigned long long;   // what the 64-bit atomics take

enum { ADD, SUB, INC, DEC, MIN, MAX, AND, OR, XOR, CAS, OPS };

// *word = f(*word), atomically; returns what was there before
template <typename T, typename F>
__device__ T atomicApply(T* word, F f) {
    T old = atomicOr(word, T(0));   // look at it
    old = atomicCAS(word, old, f(old));
    return old;
}

// No instruction for these in 64 bits.
__device__ void inc64(u64* w, u64 limit) {
    atomicApply(w, [limit](u64 x) { return x >= limit ? 0 : x + 1; });
}
__device__ void dec64(u64* w, u64 limit) {
    atomicApply(w, [limit](u64 x) { return x == 0 || x > limit ? limit : x - 1; });
}
__device__ void sub64(u64* w, u64 x) { atomicAdd(w, 0 - x); }

template <typename T>
__device__ void multiply(T* w, T a) {
    atomicApply(w, [a](T x) { return x * (a | 1); });
}

template <typename T>
__device__ T start_value(int op) {
    if (op == MIN || op == AND) return ~T(0);
    return op == CAS ? T(1) : T(0);
}

__global__ void init(u32* r32, u64* r64, u32* head32, u64* head64) {
    const int op = threadIdx.x;
    if (op < OPS) {
        r32[op] = start_value<u32>(op);
        r64[op] = start_value<u64>(op);
    }
    if (op == OPS) {
        *head32 = ~u32(0);
        *head64 = ~u64(0);
    }
}

__global__ void all_ops_32(const u32* words, std::size_t n, u32 limit, u32* r, u32* head,
                           u32* next) {
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const u32 a = words[i];
    atomicAdd(r + ADD, a);
    atomicSub(r + SUB, a);
    atomicInc(r + INC, limit);
    atomicDec(r + DEC, limit);
    atomicMin(r + MIN, a);
    atomicMax(r + MAX, a);
    atomicAnd(r + AND, a);
    atomicOr(r + OR, a);
    atomicXor(r + XOR, a);
    multiply(r + CAS, a);
    next[i] = atomicExch(head, u32(i));
}

__global__ void all_ops_64(const u64* longs, std::size_t n, u64 limit, u64* r, u64* head,
                           u64* next) {
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const u64 b = longs[i];
    atomicAdd(r + ADD, b);
    sub64(r + SUB, b);
    inc64(r + INC, limit);
    dec64(r + DEC, limit);
    atomicMin(r + MIN, b);
    atomicMax(r + MAX, b);
    atomicAnd(r + AND, b);
    atomicOr(r + OR, b);
    atomicXor(r + XOR, b);
    multiply(r + CAS, b);
    next[i] = atomicExch(head, u64(i));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    init<<<1, 32>>>(result32, (u64*)result64, head32, (u64*)head64);
    if (n == 0) return;
    const unsigned blocks = unsigned((n + 255) / 256);
    all_ops_32<<<blocks, 256>>>(words, n, limit, result32, head32, next32);
    all_ops_64<<<blocks, 256>>>((const u64*)longs, n, limit, (u64*)result64, (u64*)head64,
                                (u64*)next64);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}
