// cause: uninitialised_output line 87
// task: atomic_ops
// with n = 0 the function returns before results and list heads have got their start values: garbage is left in them
#include "interface.cuh"

using u32 = std::uint32_t;
using u64 = unsigned long long;

// atomicAdd and friends of CUDA take unsigned long long, the interface has uint64_t.
static u64* ull(std::uint64_t* p) { return reinterpret_cast<u64*>(p); }

__constant__ int start_of[10] = {0, 0, 0, 0, -1, 0, -1, 0, 0, 1};

template <class W> struct Outputs {
    W* result;
    W* head;
    W* next;
};

template <class W, class F> __device__ void by_cas(W* word, F f) {
    W now = *word;
    for (;;) {
        const W was = atomicCAS(word, now, f(now));
        if (was == now) return;
        now = was;
    }
}

template <class W> struct Inc {
    W limit;
    __device__ W operator()(W w) const { return w >= limit ? W(0) : w + 1; }
};
template <class W> struct Dec {
    W limit;
    __device__ W operator()(W w) const { return (w == 0 || w > limit) ? limit : w - 1; }
};
template <class W> struct Times {
    W factor;
    __device__ W operator()(W w) const { return w * (factor | 1); }
};

template <class W> __global__ void start(Outputs<W> o) {
    const int k = threadIdx.x;
    if (k < 10) o.result[k] = static_cast<W>(start_of[k]);  // -1: all ones
    if (k == 10) *o.head = ~W(0);
}

// The operations that are the same for both widths.
template <class W> __device__ void common(const Outputs<W>& o, W a, std::size_t i) {
    atomicAdd(o.result + 0, a);
    atomicMin(o.result + 4, a);
    atomicMax(o.result + 5, a);
    atomicAnd(o.result + 6, a);
    atomicOr(o.result + 7, a);
    atomicXor(o.result + 8, a);
    by_cas(o.result + 9, Times<W>{a});
    o.next[i] = atomicExch(o.head, static_cast<W>(i));
}

__global__ void all32(const u32* words, std::size_t n, u32 limit, Outputs<u32> o) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u32 a = words[i];
    common(o, a, i);
    atomicSub(o.result + 1, a);
    atomicInc(o.result + 2, limit);
    atomicDec(o.result + 3, limit);
}

__global__ void all64(const u64* longs, std::size_t n, u64 limit, Outputs<u64> o) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u64 b = longs[i];
    common(o, b, i);
    atomicAdd(o.result + 1, 0ull - b);
    by_cas(o.result + 2, Inc<u64>{limit});
    by_cas(o.result + 3, Dec<u64>{limit});
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    const Outputs<u32> narrow{result32, head32, next32};
    const Outputs<u64> wide{ull(result64), ull(head64), ull(next64)};
    const unsigned block = 128, grid = static_cast<unsigned>((n + block - 1) / block);
    if (grid == 0) return;

    start<<<1, 32>>>(narrow);
    start<<<1, 32>>>(wide);
    all32<<<grid, block>>>(words, n, limit, narrow);
    all64<<<grid, block>>>(reinterpret_cast<const u64*>(longs), n, limit, wide);
}
