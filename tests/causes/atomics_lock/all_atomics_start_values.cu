// cause: wrong_identity line 69
// task: atomic_ops
// cudaMemset sets each byte, so that the words of the products start as 0x01010101... and not as 1.
#include "interface.cuh"

typedef unsigned long long u64;

__device__ void inc64(u64* w, u64 limit) {
    u64 seen = atomicAdd(w, 0ull), expected;
    do {
        expected = seen;
        seen = atomicCAS(w, expected, expected >= limit ? 0ull : expected + 1);
    } while (seen != expected);
}

__device__ void dec64(u64* w, u64 limit) {
    u64 seen = atomicAdd(w, 0ull), expected;
    do {
        expected = seen;
        seen = atomicCAS(w, expected, expected == 0 || expected > limit ? limit : expected - 1);
    } while (seen != expected);
}

template <typename T>
__device__ void multiply(T* w, T factor) {
    T seen = atomicAdd(w, (T)0), expected;
    do {
        expected = seen;
        seen = atomicCAS(w, expected, expected * factor);
    } while (seen != expected);
}

__global__ void ops_kernel(const unsigned* words, const u64* longs, std::size_t n, unsigned limit,
                           unsigned* r32, u64* r64, unsigned* head32, u64* head64,
                           unsigned* next32, u64* next64) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = words[i];
    const u64 b = longs[i];

    atomicAdd(&r32[0], a);
    atomicSub(&r32[1], a);
    atomicInc(&r32[2], limit);
    atomicDec(&r32[3], limit);
    atomicMin(&r32[4], a);
    atomicMax(&r32[5], a);
    atomicAnd(&r32[6], a);
    atomicOr(&r32[7], a);
    atomicXor(&r32[8], a);
    multiply(&r32[9], a | 1u);
    next32[i] = atomicExch(head32, (unsigned)i);

    atomicAdd(&r64[0], b);
    atomicAdd(&r64[1], 0ull - b);
    inc64(&r64[2], limit);
    dec64(&r64[3], limit);
    atomicMin(&r64[4], b);
    atomicMax(&r64[5], b);
    atomicAnd(&r64[6], b);
    atomicOr(&r64[7], b);
    atomicXor(&r64[8], b);
    multiply(&r64[9], b | 1ull);
    next64[i] = atomicExch(head64, (u64)i);
}

// value is 0, 1, or -1 for all ones
template <typename T>
void start_with(T* word, int value) {
    cudaMemset(word, value, sizeof(T));
}

template <typename T>
void start_results(T* result, T* head) {
    for (int k = 0; k < 10; ++k) start_with(result + k, 0);
    start_with(result + 4, -1);  // min
    start_with(result + 6, -1);  // and
    start_with(result + 9, 1);   // product
    start_with(head, -1);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    start_results(result32, head32);
    start_results((u64*)result64, (u64*)head64);
    if (n > 0) {
        ops_kernel<<<(unsigned)((n + 255) / 256), 256>>>(words, (const u64*)longs, n, limit,
                                                         result32, (u64*)result64, head32,
                                                         (u64*)head64, next32, (u64*)next64);
    }
}
