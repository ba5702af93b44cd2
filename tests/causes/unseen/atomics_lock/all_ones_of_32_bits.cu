// cause: wrong_identity line 26
// task: atomic_ops
// the 64-bit words of min and and start as 32 ones, which is not neutral for values above 2^32; shows in nearly every case.
#include "interface.cuh"

#include <cstdint>

// The same code for both widths; everything without a native 64-bit atomic goes through update().

template <typename W> struct Native;
template <> struct Native<std::uint32_t> { using type = unsigned int; };
template <> struct Native<std::uint64_t> { using type = unsigned long long; };

template <typename N, typename F>
__device__ void update(N* w, F f) {
    N seen = atomicCAS(w, N(0), N(0));
    while (true) {
        const N found = atomicCAS(w, seen, f(seen));
        if (found == seen) break;
        seen = found;
    }
}

template <typename N>
__device__ void start(N* r, N* head) {
    constexpr auto ones = ~0u;
    const N from[10] = {0, 0, 0, 0, ones, 0, ones, 0, 0, 1};
    for (int k = 0; k < 10; ++k) r[k] = from[k];
    *head = N(-1);
}

template <typename N>
__device__ void apply(N* r, N x, N limit) {
    atomicAdd(&r[0], x);
    atomicAdd(&r[1], N(0) - x);
    update(&r[2], [=](N w) { return w >= limit ? N(0) : w + 1; });
    update(&r[3], [=](N w) { return w == 0 || w > limit ? limit : w - 1; });
    atomicMin(&r[4], x);
    atomicMax(&r[5], x);
    atomicAnd(&r[6], x);
    atomicOr(&r[7], x);
    atomicXor(&r[8], x);
    update(&r[9], [=](N w) { return w * (x | 1); });
}

using N32 = Native<std::uint32_t>::type;
using N64 = Native<std::uint64_t>::type;

__global__ void start_kernel(N32* r32, N64* r64, N32* head32, N64* head64) {
    start(r32, head32);
    start(r64, head64);
}

__global__ void apply_kernel(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                             N32 limit, N32* r32, N64* r64, N32* head32, N64* head64,
                             std::uint32_t* next32, std::uint64_t* next64) {
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        apply<N32>(r32, words[i], limit);
        apply<N64>(r64, longs[i], limit);
        next32[i] = atomicExch(head32, N32(i));
        next64[i] = atomicExch(head64, N64(i));
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    auto* r64 = reinterpret_cast<N64*>(result64);
    auto* h64 = reinterpret_cast<N64*>(head64);
    start_kernel<<<1, 1>>>(result32, r64, head32, h64);
    if (n != 0)
        apply_kernel<<<16, 64>>>(words, longs, n, limit, result32, r64, head32, h64, next32, next64);
}
