// cause: saturated line 12
// task: atomic_ops
// the 64-bit increment stays at the limit instead of starting again at 0; shows when n is greater than limit
#include "interface.cuh"
#include <cuda_runtime.h>

using u32 = unsigned int;
using u64 = unsigned long long;

struct Increment {
    u64 limit;
    __device__ u64 operator()(u64 w) const { return w >= limit ? limit : w + 1; }
};

struct Decrement {
    u64 limit;
    __device__ u64 operator()(u64 w) const { return (w == 0 || w > limit) ? limit : w - 1; }
};

template <class T>
struct Multiply {
    T factor;
    __device__ T operator()(T w) const { return w * factor; }
};

template <class T, class Op>
__device__ void atomic_apply(T* address, const Op& op) {
    T expected = *const_cast<volatile T*>(address);
    while (true) {
        const T found = atomicCAS(address, expected, op(expected));
        if (found == expected) return;
        expected = found;
    }
}

// The operations that exist for both widths.
template <class T>
__device__ void common(T* result, T x) {
    atomicAdd(result + 0, x);
    atomicAdd(result + 1, T(0) - x);
    atomicMin(result + 4, x);
    atomicMax(result + 5, x);
    atomicAnd(result + 6, x);
    atomicOr(result + 7, x);
    atomicXor(result + 8, x);
    atomic_apply(result + 9, Multiply<T>{x | T(1)});
}

__global__ void kernel32(const u32* words, u32 n, u32 limit, u32* result, u32* head, u32* next) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    common(result, words[i]);
    atomicInc(result + 2, limit);
    atomicDec(result + 3, limit);
    next[i] = atomicExch(head, i);
}

__global__ void kernel64(const u64* longs, u32 n, u64 limit, u64* result, u64* head, u64* next) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    common(result, longs[i]);
    atomic_apply(result + 2, Increment{limit});
    atomic_apply(result + 3, Decrement{limit});
    next[i] = atomicExch(head, u64(i));
}

template <class T>
void start(T* result, T* head) {
    const T init[10] = {0, 0, 0, 0, T(~T(0)), 0, T(~T(0)), 0, 0, 1};
    cudaMemcpy(result, init, sizeof init, cudaMemcpyHostToDevice);
    cudaMemset(head, 0xff, sizeof(T));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n, std::uint32_t limit,
                std::uint32_t* result32, std::uint64_t* result64, std::uint32_t* head32,
                std::uint64_t* head64, std::uint32_t* next32, std::uint64_t* next64) {
    const auto wide = [](auto* p) { return reinterpret_cast<u64*>(p); };
    start<u32>(result32, head32);
    start<u64>(wide(result64), wide(head64));
    if (n == 0) return;

    const u32 count = static_cast<u32>(n), blocks = (count + 63) / 64;
    kernel32<<<blocks, 64>>>(words, count, limit, result32, head32, next32);
    kernel64<<<blocks, 64>>>(reinterpret_cast<const u64*>(longs), count, limit, wide(result64), wide(head64), wide(next64));
}
