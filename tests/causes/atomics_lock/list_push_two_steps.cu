// cause: missing_atomic line 52
// task: atomic_ops
// a new list element reads the head and replaces it in two steps, so that two elements can get the same successor; shows from two elements on
#include "interface.cuh"
#include <cuda_runtime.h>

#define TID (blockIdx.x * blockDim.x + threadIdx.x)
#define CAS_LOOP(T, p, expr)                         \
    do {                                             \
        T w = atomicOr((p), (T)0), last;             \
        do {                                         \
            last = w;                                \
            w = atomicCAS((p), last, (T)(expr));     \
        } while (w != last);                         \
    } while (0)

typedef unsigned int U32;
typedef unsigned long long U64;

__global__ void init_results(U32* r32, U64* r64, U32* h32, U64* h64)
{
    for (int op = 0; op < 10; op++) { r32[op] = 0; r64[op] = 0; }
    r32[4] = r32[6] = 0xFFFFFFFFu;
    r64[4] = r64[6] = 0xFFFFFFFFFFFFFFFFull;
    r32[9] = 1;
    r64[9] = 1;
    *h32 = 0xFFFFFFFFu;
    *h64 = 0xFFFFFFFFFFFFFFFFull;
}

__global__ void all_ops(const U32* words, const U64* longs, size_t n, U32 limit,
                        U32* r32, U64* r64, U32* h32, volatile U64* h64, U32* n32, U64* n64)
{
    size_t i = TID;
    if (i >= n) return;
    U32 a = words[i];
    U64 b = longs[i], top = limit;

    atomicAdd(&r32[0], a);      atomicAdd(&r64[0], b);
    atomicSub(&r32[1], a);      atomicAdd(&r64[1], ~b + 1);
    atomicInc(&r32[2], limit);  CAS_LOOP(U64, &r64[2], last >= top ? 0 : last + 1);
    atomicDec(&r32[3], limit);  CAS_LOOP(U64, &r64[3], last == 0 || last > top ? top : last - 1);
    atomicMin(&r32[4], a);      atomicMin(&r64[4], b);
    atomicMax(&r32[5], a);      atomicMax(&r64[5], b);
    atomicAnd(&r32[6], a);      atomicAnd(&r64[6], b);
    atomicOr(&r32[7], a);       atomicOr(&r64[7], b);
    atomicXor(&r32[8], a);      atomicXor(&r64[8], b);
    CAS_LOOP(U32, &r32[9], last * (a | 1u));
    CAS_LOOP(U64, &r64[9], last * (b | 1ull));

    n32[i] = atomicExch(h32, (U32)i);
    n64[i] = *h64;
    *h64 = i;
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs,
                std::size_t n, std::uint32_t limit, std::uint32_t* result32,
                std::uint64_t* result64, std::uint32_t* head32,
                std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64)
{
    init_results<<<1, 1>>>(result32, (U64*)result64, head32, (U64*)head64);
    if (n)
        all_ops<<<(U32)((n + 191) / 192), 192>>>(words, (const U64*)longs, n, limit, result32,
                                                 (U64*)result64, head32, (U64*)head64, next32, (U64*)next64);
}
