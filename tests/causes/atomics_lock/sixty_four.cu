// cause: no_retry line 25
// task: atomic_ops
// The 64-bit decrement tries its compare-and-swap once, and is lost when another thread was faster.
#include "interface.cuh"

typedef unsigned long long u64;

__device__ void inc64(u64 *w, u64 limit)
{
    u64 old = *(volatile u64 *)w, assumed;
    do {
        assumed = old;
        old = atomicCAS(w, assumed, assumed >= limit ? 0 : assumed + 1);
    } while (old != assumed);
}

__device__ void dec64(u64 *w, u64 limit)
{
    u64 old = *(volatile u64 *)w;
    u64 desired;
    if (old == 0 || old > limit)
        desired = limit;
    else
        desired = old - 1;
    old = atomicCAS(w, old, desired);
}

__device__ void mul64(u64 *w, u64 factor)
{
    u64 old = *(volatile u64 *)w, assumed;
    do {
        assumed = old;
        old = atomicCAS(w, assumed, assumed * factor);
    } while (old != assumed);
}

__device__ void mul32(unsigned *w, unsigned factor)
{
    unsigned old = *(volatile unsigned *)w, assumed;
    do {
        assumed = old;
        old = atomicCAS(w, assumed, assumed * factor);
    } while (old != assumed);
}

__global__ void reset(unsigned *r, u64 *R, unsigned *h, u64 *H)
{
    for (int k = 0; k < 10; k++) {
        r[k] = 0;
        R[k] = 0;
    }
    r[4] = r[6] = *h = 0xffffffffu;
    R[4] = R[6] = *H = 0xffffffffffffffffull;
    r[9] = 1;
    R[9] = 1;
}

__global__ void every_op(const unsigned *words, const u64 *longs, size_t n, unsigned limit, unsigned *r, u64 *R,
                         unsigned *h, u64 *H, unsigned *next, u64 *NEXT)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned a = words[i];
        atomicAdd(r + 0, a);
        atomicSub(r + 1, a);
        atomicInc(r + 2, limit);
        atomicDec(r + 3, limit);
        atomicMin(r + 4, a);
        atomicMax(r + 5, a);
        atomicAnd(r + 6, a);
        atomicOr(r + 7, a);
        atomicXor(r + 8, a);
        mul32(r + 9, a | 1);
        next[i] = atomicExch(h, (unsigned)i);

        u64 b = longs[i];
        atomicAdd(R + 0, b);
        atomicAdd(R + 1, 0 - b);
        inc64(R + 2, limit);
        dec64(R + 3, limit);
        atomicMin(R + 4, b);
        atomicMax(R + 5, b);
        atomicAnd(R + 6, b);
        atomicOr(R + 7, b);
        atomicXor(R + 8, b);
        mul64(R + 9, b | 1);
        NEXT[i] = atomicExch(H, (u64)i);
    }
}

void atomic_ops(const std::uint32_t *words, const std::uint64_t *longs, std::size_t n, std::uint32_t limit,
                std::uint32_t *result32, std::uint64_t *result64, std::uint32_t *head32, std::uint64_t *head64,
                std::uint32_t *next32, std::uint64_t *next64)
{
    reset<<<1, 1>>>(result32, (u64 *)result64, head32, (u64 *)head64);
    every_op<<<64, 128>>>(words, (const u64 *)longs, n, limit, result32, (u64 *)result64, head32, (u64 *)head64,
                          next32, (u64 *)next64);
}
