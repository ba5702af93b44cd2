// cause: wrong_identity line 32
// task: atomic_ops
// Each thread's partial result of the bitwise and starts at 0 instead of all ones, so that the result is always 0.
#include "interface.cuh"

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}
void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

using Word = std::uint32_t;
using Long = unsigned long long;

// The generic read-modify-write: repeats until nobody came in between.
template <typename T, typename F>
__device__ void update(T* word, F next) {
    T seen = atomicCAS(word, T(0), T(0));
    for (;;) {
        const T old = atomicCAS(word, seen, next(seen));
        if (old == seen) return;
        seen = old;
    }
}

// What one thread collects of its elements before it touches global memory.
template <typename T>
struct Partial {
    T sum = 0;
    T least = ~T(0);
    T greatest = 0;
    T common = 0;
    T any = 0;
    T odd = 0;
    T product = 1;

    __device__ void take(T a) {
        sum += a;
        least = a < least ? a : least;
        greatest = a > greatest ? a : greatest;
        common &= a;
        any |= a;
        odd ^= a;
        product *= a | 1;
    }
    __device__ void give(T* result) const {
        atomicAdd(&result[0], sum);
        atomicAdd(&result[1], T(0) - sum);
        atomicMin(&result[4], least);
        atomicMax(&result[5], greatest);
        atomicAnd(&result[6], common);
        atomicOr(&result[7], any);
        atomicXor(&result[8], odd);
        const T factor = product;
        update(&result[9], [factor](T w) { return T(w * factor); });
    }
};

template <typename T>
__global__ void start(T* result, T* head) {
    const int k = threadIdx.x;
    result[k] = k == 4 || k == 6 ? ~T(0) : T(k == 9);
    if (k == 0) *head = ~T(0);
}

template <typename T>
__global__ void apply(const T* in, std::size_t n, T limit, T* result, T* head, T* next) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (first >= n) return;
    Partial<T> partial;
    for (std::size_t i = first; i < n; i += std::size_t{gridDim.x} * blockDim.x) {
        partial.take(in[i]);
        update(&result[2], [limit](T w) { return w >= limit ? T(0) : T(w + 1); });
        update(&result[3], [limit](T w) { return w == 0 || w > limit ? limit : T(w - 1); });
        next[i] = atomicExch(head, static_cast<T>(i));
    }
    partial.give(result);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    auto* r64 = reinterpret_cast<Long*>(result64);
    auto* h64 = reinterpret_cast<Long*>(head64);
    start<Word><<<1, 10>>>(result32, head32);
    start<Long><<<1, 10>>>(r64, h64);
    apply<Word><<<4, 64>>>(words, n, limit, result32, head32, next32);
    apply<Long><<<4, 64>>>(reinterpret_cast<const Long*>(longs), n, limit, r64, h64,
                           reinterpret_cast<Long*>(next64));
}
