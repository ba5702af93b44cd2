// cause: accumulator_too_narrow line 33
// task: atomic_ops
// The value from the other lane is put into 32 bits also for the 64-bit words, so that the upper halves of all lanes but the first are lost.
#include "interface.cuh"

using std::uint32_t;
using std::size_t;
using uint64 = unsigned long long;

struct Add { template <class T> __device__ T operator()(T x, T y) const { return x + y; } };
struct Mul { template <class T> __device__ T operator()(T x, T y) const { return x * y; } };
struct Min { template <class T> __device__ T operator()(T x, T y) const { return x < y ? x : y; } };
struct Max { template <class T> __device__ T operator()(T x, T y) const { return x < y ? y : x; } };
struct And { template <class T> __device__ T operator()(T x, T y) const { return x & y; } };
struct Or  { template <class T> __device__ T operator()(T x, T y) const { return x | y; } };
struct Xor { template <class T> __device__ T operator()(T x, T y) const { return x ^ y; } };

// Applies f to *word for ever until nobody came in between.
template <class T, class F>
__device__ void update(T* word, F f) {
    T expected = atomicOr(word, T(0));
    for (;;) {
        const T found = atomicCAS(word, expected, f(expected));
        if (found == expected) return;
        expected = found;
    }
}

// The warp combines its values with a tree of shuffles, lane 0 enters the result.
template <class Op, class T>
__device__ void warp_apply(T* word, T value, Op op) {
    for (int d = 16; d != 0; d >>= 1) {
        const unsigned other = __shfl_down_sync(0xffffffffu, value, d);
        value = op(value, static_cast<T>(other));
    }
    if (threadIdx.x % 32 == 0) {
        update(word, [=](T w) { return op(w, value); });
    }
}

template <class T>
__device__ void all_ops(bool inside, T a, T limit, T* result) {
    const T none = 0;
    const T all = ~none;
    warp_apply(result + 0, inside ? a : none, Add{});
    warp_apply(result + 1, inside ? none - a : none, Add{});
    if (inside) {
        update(result + 2, [=](T w) { return w >= limit ? T(0) : w + 1; });
        update(result + 3, [=](T w) { return w == 0 || w > limit ? limit : w - 1; });
    }
    __syncwarp();
    warp_apply(result + 4, inside ? a : all, Min{});
    warp_apply(result + 5, inside ? a : none, Max{});
    warp_apply(result + 6, inside ? a : all, And{});
    warp_apply(result + 7, inside ? a : none, Or{});
    warp_apply(result + 8, inside ? a : none, Xor{});
    warp_apply(result + 9, inside ? (a | 1) : T(1), Mul{});
}

template <class T>
__global__ void start(T* result, T* head) {
    for (int k = 0; k < 10; ++k) result[k] = k == 4 || k == 6 ? ~T(0) : T(k == 9);
    *head = ~T(0);
}

template <class T>
__global__ void run(const T* in, size_t n, uint32_t limit, T* result, T* head, T* next) {
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const bool inside = i < n;
    all_ops<T>(inside, inside ? in[i] : T(0), limit, result);
    if (inside) next[i] = atomicExch(head, T(i));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    const auto wide = [](std::uint64_t* p) { return reinterpret_cast<uint64*>(p); };
    start<<<1, 1>>>(result32, head32);
    start<<<1, 1>>>(wide(result64), wide(head64));
    if (n == 0) return;
    const unsigned blocks = unsigned((n + 255) / 256);
    run<<<blocks, 256>>>(words, n, limit, result32, head32, next32);
    run<<<blocks, 256>>>(reinterpret_cast<const uint64*>(longs), n, limit, wide(result64), wide(head64), wide(next64));
}
