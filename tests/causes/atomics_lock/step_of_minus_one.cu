// cause: sign_lost line 12
// task: atomic_ops
// The step of -1 is kept in an unsigned int and widened without its sign, so that counting down the 64-bit word adds 2^32 - 1.
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

// There is no atomicInc and no atomicDec for 64 bits, so here is one for both directions.
__device__ void roll64(u64* word, u64 limit, bool up)
{
    const u32 step = up ? 1 : -1;
    u64 old = atomicAdd(word, 0ull);
    while (true) {
        u64 next;
        if (up) next = old >= limit ? 0 : old + step;
        else    next = (old == 0 || old > limit) ? limit : old + step;
        u64 now = atomicCAS(word, old, next);
        if (now == old) break;
        old = now;
    }
}

// w = w * (a | 1)
__device__ void mul32(u32* word, u32 a)
{
    u32 old = atomicAdd(word, 0u), seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, seen * (a | 1u));
    } while (old != seen);
}

__device__ void mul64(u64* word, u64 a)
{
    u64 old = atomicAdd(word, 0ull), seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, seen * (a | 1ull));
    } while (old != seen);
}

__global__ void set_up(u32* r32, u64* r64, u32* h32, u64* h64)
{
    int k = threadIdx.x;
    r32[k] = (k == 4 || k == 6) ? ~0u : (k == 9) ? 1u : 0u;
    r64[k] = (k == 4 || k == 6) ? ~0ull : (k == 9) ? 1ull : 0ull;
    if (k == 0) { *h32 = ~0u; *h64 = ~0ull; }
}

__global__ void ops(const u32* words, const u64* longs, size_t n, u32 limit, u32* r32, u64* r64,
                    u32* h32, u64* h64, u32* n32, u64* n64)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 a = words[i];
    u64 b = longs[i];

    atomicAdd(&r32[0], a);      atomicAdd(&r64[0], b);
    atomicSub(&r32[1], a);      atomicAdd(&r64[1], 0ull - b);
    atomicInc(&r32[2], limit);  roll64(&r64[2], limit, true);
    atomicDec(&r32[3], limit);  roll64(&r64[3], limit, false);
    atomicMin(&r32[4], a);      atomicMin(&r64[4], b);
    atomicMax(&r32[5], a);      atomicMax(&r64[5], b);
    atomicAnd(&r32[6], a);      atomicAnd(&r64[6], b);
    atomicOr(&r32[7], a);       atomicOr(&r64[7], b);
    atomicXor(&r32[8], a);      atomicXor(&r64[8], b);
    mul32(&r32[9], a);          mul64(&r64[9], b);

    n32[i] = atomicExch(h32, (u32)i);
    n64[i] = atomicExch(h64, (u64)i);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64)
{
    set_up<<<1, 10>>>(result32, (u64*)result64, head32, (u64*)head64);
    if (n > 0)
        ops<<<(n + 127) / 128, 128>>>(words, (const u64*)longs, n, limit, result32, (u64*)result64,
                                      head32, (u64*)head64, next32, (u64*)next64);
}
