// cause: device_pointer_on_host line 75
// task: atomic_ops
// The host assigns to the marker of the 64-bit list, which lies in device memory.
#include "interface.cuh"

using u32 = std::uint32_t;
using u64 = unsigned long long;

// any operation on 64 bits
template <class Op>
__device__ u64 atomic_apply(u64* address, Op op) {
    u64 old = atomicAdd(address, 0ull);
    for (;;) {
        u64 was = atomicCAS(address, old, op(old));
        if (was == old) return old;
        old = was;
    }
}

__global__ void all_ops(const u32* words, const std::uint64_t* longs, std::size_t n, u32 limit,
                        u32* r32, u64* r64, u32* head32, u64* head64, u32* next32,
                        std::uint64_t* next64) {
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const u32 a = words[i];
        const u64 b = longs[i];
        const u64 l = limit;

        atomicAdd(r32 + 0, a);
        atomicSub(r32 + 1, a);
        atomicInc(r32 + 2, limit);
        atomicDec(r32 + 3, limit);
        atomicMin(r32 + 4, a);
        atomicMax(r32 + 5, a);
        atomicAnd(r32 + 6, a);
        atomicOr(r32 + 7, a);
        atomicXor(r32 + 8, a);
        u32 seen = atomicAdd(r32 + 9, 0u);
        for (u32 was; (was = atomicCAS(r32 + 9, seen, seen * (a | 1u))) != seen; seen = was) {
        }

        atomicAdd(r64 + 0, b);
        atomic_apply(r64 + 1, [=](u64 w) { return w - b; });
        atomic_apply(r64 + 2, [=](u64 w) { return w >= l ? 0 : w + 1; });
        atomic_apply(r64 + 3, [=](u64 w) { return w == 0 || w > l ? l : w - 1; });
        atomicMin(r64 + 4, b);
        atomicMax(r64 + 5, b);
        atomicAnd(r64 + 6, b);
        atomicOr(r64 + 7, b);
        atomicXor(r64 + 8, b);
        atomic_apply(r64 + 9, [=](u64 w) { return w * (b | 1); });

        next32[i] = atomicExch(head32, (u32)i);
        next64[i] = atomicExch(head64, (u64)i);
    }
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    const u32 first32[10] = {0, 0, 0, 0, ~0u, 0, ~0u, 0, 0, 1};
    const u64 first64[10] = {0, 0, 0, 0, ~0ull, 0, ~0ull, 0, 0, 1};
    cudaMemcpy(result32, first32, sizeof first32, cudaMemcpyHostToDevice);
    cudaMemcpy(result64, first64, sizeof first64, cudaMemcpyHostToDevice);
    cudaMemset(head32, 0xff, sizeof(u32));
    *head64 = ~0ull;
    if (n > 0)
        all_ops<<<32, 128>>>(words, longs, n, limit, result32, (u64*)result64, head32,
                             (u64*)head64, next32, next64);
}
