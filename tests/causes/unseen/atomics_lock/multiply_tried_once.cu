// cause: no_retry line 52
// task: atomic_ops
// the 64-bit product is lost if another thread was faster; shows from two elements on.
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

__global__ void init_ops(u32 *r32, u64 *r64, u32 *h32, u64 *h64)
{
    int k = threadIdx.x;
    if (k < 10) {
        r32[k] = 0u;
        r64[k] = 0ull;
        if (k == 4 || k == 6) { r32[k] = 0xffffffffu; r64[k] = 0xffffffffffffffffull; }
        if (k == 9) { r32[k] = 1u; r64[k] = 1ull; }
    }
    if (k == 10) *h32 = 0xffffffffu;
    if (k == 11) *h64 = 0xffffffffffffffffull;
}

__device__ void inc64(u64 *w, u64 limit)
{
    u64 old = atomicCAS(w, 0ull, 0ull), expected;
    do {
        expected = old;
        old = atomicCAS(w, expected, expected >= limit ? 0ull : expected + 1);
    } while (old != expected);
}

__device__ void dec64(u64 *w, u64 limit)
{
    u64 old = atomicCAS(w, 0ull, 0ull), expected;
    do {
        expected = old;
        old = atomicCAS(w, expected, (expected == 0 || expected > limit) ? limit : expected - 1);
    } while (old != expected);
}

__device__ void mul32(u32 *w, u32 f)
{
    u32 old = atomicAdd(w, 0u), expected;
    do {
        expected = old;
        old = atomicCAS(w, expected, expected * f);
    } while (old != expected);
}

__device__ void mul64(u64 *w, u64 f)
{
    u64 old = atomicAdd(w, 0ull);
    atomicCAS(w, old, old * f);
}

__global__ void ops(const u32 *words, const uint64_t *longs, size_t n, u32 limit,
                    u32 *r32, u64 *r64, u32 *h32, u64 *h64, u32 *next32, uint64_t *next64)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 a = words[i];
    u64 b = longs[i];

    atomicAdd(r32 + 0, a);      atomicAdd(r64 + 0, b);
    atomicSub(r32 + 1, a);      atomicAdd(r64 + 1, 0ull - b);
    atomicInc(r32 + 2, limit);  inc64(r64 + 2, limit);
    atomicDec(r32 + 3, limit);  dec64(r64 + 3, limit);
    atomicMin(r32 + 4, a);      atomicMin(r64 + 4, b);
    atomicMax(r32 + 5, a);      atomicMax(r64 + 5, b);
    atomicAnd(r32 + 6, a);      atomicAnd(r64 + 6, b);
    atomicOr (r32 + 7, a);      atomicOr (r64 + 7, b);
    atomicXor(r32 + 8, a);      atomicXor(r64 + 8, b);
    mul32(r32 + 9, a | 1);      mul64(r64 + 9, b | 1);

    next32[i] = atomicExch(h32, (u32)i);
    next64[i] = atomicExch(h64, (u64)i);
}

void atomic_ops(const uint32_t *words, const uint64_t *longs, size_t n, uint32_t limit,
                uint32_t *result32, uint64_t *result64, uint32_t *head32, uint64_t *head64,
                uint32_t *next32, uint64_t *next64)
{
    init_ops<<<1, 32>>>(result32, (u64 *)result64, head32, (u64 *)head64);
    if (n == 0) return;
    ops<<<(u32)((n + 255) / 256), 256>>>(words, longs, n, limit, result32, (u64 *)result64,
                                         head32, (u64 *)head64, next32, next64);
}
