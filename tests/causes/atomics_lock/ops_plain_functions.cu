// cause: no_retry line 27
// task: atomic_ops
// The 64-bit product tries its compare-and-swap a second time, but not again: with more than two threads at the word factors are lost.
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}
void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

__device__ void mul32(u32* word, u32 a) {
    u32 old = *(volatile u32*)word;
    u32 assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, assumed * (a | 1u));
    } while (old != assumed);
}

__device__ void mul64(u64* word, u64 a) {
    u64 assumed = *(volatile u64*)word;
    u64 old = atomicCAS(word, assumed, assumed * (a | 1ull));
    if (old != assumed) {
        assumed = old;
        old = atomicCAS(word, assumed, assumed * (a | 1ull));
    }
}

__device__ void inc64(u64* word, u64 limit) {
    u64 old = *(volatile u64*)word;
    u64 assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, assumed >= limit ? 0ull : assumed + 1ull);
    } while (old != assumed);
}

__device__ void dec64(u64* word, u64 limit) {
    u64 old = *(volatile u64*)word;
    u64 assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed,
                        assumed == 0ull || assumed > limit ? limit : assumed - 1ull);
    } while (old != assumed);
}

__global__ void init(u32* r32, u64* r64, u32* head32, u64* head64) {
    for (int k = 0; k < 10; k++) {
        bool ones = k == 4 || k == 6;
        r32[k] = ones ? 0xffffffffu : (k == 9 ? 1u : 0u);
        r64[k] = ones ? ~0ull : (k == 9 ? 1ull : 0ull);
    }
    *head32 = 0xffffffffu;
    *head64 = ~0ull;
}

__global__ void ops(const u32* words, const u64* longs, size_t n, u32 limit, u32* r32, u64* r64,
                    u32* head32, u64* head64, u32* next32, u64* next64) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    u32 a = words[i];
    atomicAdd(&r32[0], a);
    atomicSub(&r32[1], a);
    atomicInc(&r32[2], limit);
    atomicDec(&r32[3], limit);
    atomicMin(&r32[4], a);
    atomicMax(&r32[5], a);
    atomicAnd(&r32[6], a);
    atomicOr(&r32[7], a);
    atomicXor(&r32[8], a);
    mul32(&r32[9], a);
    next32[i] = atomicExch(head32, (u32)i);

    u64 b = longs[i];
    atomicAdd(&r64[0], b);
    atomicAdd(&r64[1], 0ull - b);
    inc64(&r64[2], limit);
    dec64(&r64[3], limit);
    atomicMin(&r64[4], b);
    atomicMax(&r64[5], b);
    atomicAnd(&r64[6], b);
    atomicOr(&r64[7], b);
    atomicXor(&r64[8], b);
    mul64(&r64[9], b);
    next64[i] = atomicExch(head64, (u64)i);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    init<<<1, 1>>>(result32, (u64*)result64, head32, (u64*)head64);
    if (n == 0) return;
    ops<<<(u32)((n + 127) / 128), 128>>>(words, (const u64*)longs, n, limit, result32,
                                         (u64*)result64, head32, (u64*)head64, next32,
                                         (u64*)next64);
}
