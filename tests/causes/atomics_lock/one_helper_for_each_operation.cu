// cause: sign_lost line 66
// task: atomic_ops
// The factor -1 is kept in 32 bits without a sign, and widened to 64 bits it is 4294967295: the 64-bit sub is wrong.
#include "interface.cuh"

typedef std::uint32_t Word;
typedef unsigned long long Long;

// ---------------------------------------------------------------------------------------
// Start values
// ---------------------------------------------------------------------------------------

template <typename T>
__device__ void write_start_values(T* result, T* head) {
    const T all_ones = ~static_cast<T>(0);
    for (int k = 0; k < 10; k++) {
        result[k] = 0;
    }
    result[4] = all_ones;
    result[6] = all_ones;
    result[9] = 1;
    head[0] = all_ones;
}

__global__ void start(Word* result32, Long* result64, Word* head32, Long* head64) {
    write_start_values<Word>(result32, head32);
    write_start_values<Long>(result64, head64);
}

// ---------------------------------------------------------------------------------------
// Any operation, by compare-and-swap
// ---------------------------------------------------------------------------------------

template <typename T, typename Operation>
__device__ void update(T* word, Operation operation) {
    T seen = *static_cast<volatile T*>(word);
    T expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected, operation(expected));
    } while (seen != expected);
}

template <typename T>
struct Increment {
    T limit;
    __device__ T operator()(T w) const { return w >= limit ? T(0) : w + 1; }
};

template <typename T>
struct Decrement {
    T limit;
    __device__ T operator()(T w) const { return (w == 0 || w > limit) ? limit : w - 1; }
};

template <typename T>
struct MultiplyOdd {
    T a;
    __device__ T operator()(T w) const { return w * (a | 1); }
};

// ---------------------------------------------------------------------------------------
// A helper for each operation, for both widths
// ---------------------------------------------------------------------------------------

const unsigned int minus_one = -1;

template <typename T>
__device__ void add(T* word, T a) {
    atomicAdd(word, a);
}

// there is no atomicSub for 64 bits
template <typename T>
__device__ void subtract(T* word, T a) {
    add<T>(word, minus_one * a);
}

template <typename T>
__device__ void all_operations(T* result, T a, T limit) {
    add<T>(&result[0], a);
    subtract<T>(&result[1], a);
    update(&result[2], Increment<T>{limit});
    update(&result[3], Decrement<T>{limit});
    atomicMin(&result[4], a);
    atomicMax(&result[5], a);
    atomicAnd(&result[6], a);
    atomicOr(&result[7], a);
    atomicXor(&result[8], a);
    update(&result[9], MultiplyOdd<T>{a});
}

template <typename T>
__device__ void push_front(T* head, T* next, std::size_t i) {
    next[i] = atomicExch(head, static_cast<T>(i));
}

__global__ void operate(const Word* words, const Long* longs, std::size_t n, Word limit,
                        Word* result32, Long* result64, Word* head32, Long* head64, Word* next32,
                        Long* next64) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        all_operations<Word>(result32, words[i], limit);
        all_operations<Long>(result64, longs[i], limit);
        push_front<Word>(head32, next32, i);
        push_front<Long>(head64, next64, i);
    }
}

// ---------------------------------------------------------------------------------------

static Long* as_longs(std::uint64_t* pointer) { return reinterpret_cast<Long*>(pointer); }

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    start<<<1, 1>>>(result32, as_longs(result64), head32, as_longs(head64));
    if (n > 0) {
        unsigned int blocks = static_cast<unsigned int>((n + 127) / 128);
        operate<<<blocks, 128>>>(words, reinterpret_cast<const Long*>(longs), n, limit, result32,
                                 as_longs(result64), head32, as_longs(head64), next32,
                                 as_longs(next64));
    }
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
