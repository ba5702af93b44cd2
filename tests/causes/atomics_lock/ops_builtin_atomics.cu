// cause: wrong_identity line 9
// task: atomic_ops
// The 64-bit min and and start at 0x00000000ffffffff and not at all ones, so results above 32 bits are lost.
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

#define ALL_ONES 0xffffffff   /* start of min and and */

__global__ void set_start(u32 *r32, u64 *r64, u32 *head32, u64 *head64)
{
    for (int k = 0; k < 10; k++) {
        r32[k] = 0;
        r64[k] = 0;
    }
    r32[4] = r32[6] = (u32)ALL_ONES;
    r64[4] = r64[6] = (u64)ALL_ONES;
    r32[9] = 1;
    r64[9] = 1;
    *head32 = (u32)-1;
    *head64 = (u64)-1;
}

/* what CUDA does not have for 64 bits, or not at all */
#define CAS_LOOP(type, address, expression)                  \
    do {                                                     \
        type seen = *(volatile type *)(address), w;          \
        do {                                                 \
            w = seen;                                        \
            seen = atomicCAS(address, w, (type)(expression));\
        } while (seen != w);                                 \
    } while (0)

__global__ void ops32(const u32 *words, u32 n, u32 limit, u32 *r, u32 *head, u32 *next)
{
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
    CAS_LOOP(u32, r + 9, w * (a | 1));
    next[i] = atomicExch(head, i);
}

__global__ void ops64(const u64 *longs, u32 n, u64 limit, u64 *r, u64 *head, u64 *next)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 b = longs[i];
    atomicAdd(r + 0, b);
    atomicAdd(r + 1, 0 - b);
    CAS_LOOP(u64, r + 2, w >= limit ? 0 : w + 1);
    CAS_LOOP(u64, r + 3, w == 0 || w > limit ? limit : w - 1);
    atomicMin(r + 4, b);
    atomicMax(r + 5, b);
    atomicAnd(r + 6, b);
    atomicOr(r + 7, b);
    atomicXor(r + 8, b);
    CAS_LOOP(u64, r + 9, w * (b | 1));
    next[i] = atomicExch(head, (u64)i);
}

void atomic_ops(const std::uint32_t *words, const std::uint64_t *longs, std::size_t n,
                std::uint32_t limit, std::uint32_t *result32, std::uint64_t *result64,
                std::uint32_t *head32, std::uint64_t *head64, std::uint32_t *next32,
                std::uint64_t *next64)
{
    set_start<<<1, 1>>>(result32, (u64 *)result64, head32, (u64 *)head64);
    if (n == 0) return;
    u32 blocks = (u32)((n + 127) / 128);
    ops32<<<blocks, 128>>>(words, n, limit, result32, head32, next32);
    ops64<<<blocks, 128>>>((const u64 *)longs, n, limit, (u64 *)result64, (u64 *)head64,
                           (u64 *)next64);
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
