// cause: wrong_identity or sign_lost line 15
// task: atomic_ops
// The 64-bit words of min and and start as 2^32 - 1, not as all ones: the upper half is zero, so
// larger values lose against it.
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

template <typename T>
__device__ T start_value(int op) {
    switch (op) {
        case 4:
        case 6:
            return ~0u;
        case 9:
            return 1;
        default:
            return 0;
    }
}

__global__ void init(u32* r32, u64* r64, u32* h32, u64* h64) {
    int op = threadIdx.x;
    if (op < 10) {
        r32[op] = start_value<u32>(op);
        r64[op] = start_value<u64>(op);
    } else {
        *h32 = 0xffffffffu;
        *h64 = 0xffffffffffffffffull;
    }
}

// every operation there is no instruction for: f says what the word becomes
template <typename T, typename F>
__device__ void update(T* word, F f) {
    T old = *(volatile T*)word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, f(seen));
    } while (old != seen);
}

__global__ void run(const u32* words, const u64* longs, u32 n, u32 limit, u32* r32, u64* r64,
                    u32* h32, u64* h64, u32* next32, u64* next64) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 a = words[i];
    u64 b = longs[i];

    atomicAdd(r32 + 0, a);
    atomicSub(r32 + 1, a);
    atomicInc(r32 + 2, limit);
    atomicDec(r32 + 3, limit);
    atomicMin(r32 + 4, a);
    atomicMax(r32 + 5, a);
    atomicAnd(r32 + 6, a);
    atomicOr(r32 + 7, a);
    atomicXor(r32 + 8, a);
    update(r32 + 9, [=](u32 w) { return w * (a | 1); });

    u64 top = limit;
    atomicAdd(r64 + 0, b);
    atomicAdd(r64 + 1, 0 - b);
    update(r64 + 2, [=](u64 w) { return w >= top ? 0 : w + 1; });
    update(r64 + 3, [=](u64 w) { return w == 0 || w > top ? top : w - 1; });
    atomicMin(r64 + 4, b);
    atomicMax(r64 + 5, b);
    atomicAnd(r64 + 6, b);
    atomicOr(r64 + 7, b);
    atomicXor(r64 + 8, b);
    update(r64 + 9, [=](u64 w) { return w * (b | 1); });

    next32[i] = atomicExch(h32, i);
    next64[i] = atomicExch(h64, (u64)i);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    init<<<1, 11>>>(result32, (u64*)result64, head32, (u64*)head64);
    if (n > 0)
        run<<<(u32)((n + 255) / 256), 256>>>(words, (const u64*)longs, (u32)n, limit, result32,
                                              (u64*)result64, head32, (u64*)head64, next32,
                                              (u64*)next64);
}
