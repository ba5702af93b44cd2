// cause: wrong_identity or sign_lost line 11
// task: atomic_ops
// The constant for "all ones" is an unsigned of 32 bits: in the 64-bit words the upper half starts as zeros, which is no
// neutral value for min and and, and no end mark for the list.
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

__global__ void start_values(u32* r32, u64* r64, u32* h32, u64* h64) {
    const auto all_ones = ~0u;
    for (int op = 0; op < 10; ++op) {
        switch (op) {
            case 4:
            case 6: r32[op] = all_ones; r64[op] = all_ones; break;
            case 9: r32[op] = 1; r64[op] = 1; break;
            default: r32[op] = 0; r64[op] = 0;
        }
    }
    *h32 = all_ones;
    *h64 = all_ones;
}

__device__ void inc64(u64* w, u64 limit) {
    u64 now = *w, was;
    do {
        was = now;
        now = atomicCAS(w, was, was >= limit ? 0 : was + 1);
    } while (now != was);
}

__device__ void dec64(u64* w, u64 limit) {
    u64 now = *w, was;
    do {
        was = now;
        now = atomicCAS(w, was, was == 0 || was > limit ? limit : was - 1);
    } while (now != was);
}

template <typename W>
__device__ void multiply(W* w, W factor) {
    W now = *w, was;
    do {
        was = now;
        now = atomicCAS(w, was, was * factor);
    } while (now != was);
}

__global__ void ops32(const u32* words, u32 n, u32 limit, u32* r, u32* head, u32* next) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 a = words[i];
    atomicAdd(r + 0, a);
    atomicSub(r + 1, a);
    atomicInc(r + 2, limit);
    atomicDec(r + 3, limit);
    atomicMin(r + 4, a);
    atomicMax(r + 5, a);
    atomicAnd(r + 6, a);
    atomicOr(r + 7, a);
    atomicXor(r + 8, a);
    multiply(r + 9, a | 1);
    next[i] = atomicExch(head, i);
}

__global__ void ops64(const u64* longs, u32 n, u64 limit, u64* r, u64* head, u64* next) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 b = longs[i];
    atomicAdd(r + 0, b);
    atomicAdd(r + 1, 0 - b);
    inc64(r + 2, limit);
    dec64(r + 3, limit);
    atomicMin(r + 4, b);
    atomicMax(r + 5, b);
    atomicAnd(r + 6, b);
    atomicOr(r + 7, b);
    atomicXor(r + 8, b);
    multiply(r + 9, b | 1);
    next[i] = atomicExch(head, (u64)i);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    start_values<<<1, 1>>>(result32, (u64*)result64, head32, (u64*)head64);
    u32 blocks = (n + 255) / 256;
    if (blocks == 0) return;
    ops32<<<blocks, 256>>>(words, n, limit, result32, head32, next32);
    ops64<<<blocks, 256>>>((const u64*)longs, n, limit, (u64*)result64, (u64*)head64, (u64*)next64);
}
