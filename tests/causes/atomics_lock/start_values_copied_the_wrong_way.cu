// cause: wrong_copy_direction line 64
// task: atomic_ops
// the copy of the 64-bit start values names the direction device to host: the words never get them
#include "interface.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

// ---- what the hardware does not have -------------------------------------

// applies op to *word with compare-and-swap
template <typename Word, typename Op>
__device__ void cas_loop(Word* word, Op op) {
    Word old = *word;
    while (true) {
        Word got = atomicCAS(word, old, op(old));
        if (got == old) break;
        old = got;
    }
}

__global__ void ops32(const u32* words, std::size_t n, u32 limit, u32* r, u32* head, u32* next) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u32 a = words[i];
    atomicAdd(&r[0], a);
    atomicSub(&r[1], a);
    atomicInc(&r[2], limit);
    atomicDec(&r[3], limit);
    atomicMin(&r[4], a);
    atomicMax(&r[5], a);
    atomicAnd(&r[6], a);
    atomicOr(&r[7], a);
    atomicXor(&r[8], a);
    cas_loop(&r[9], [a](u32 w) { return w * (a | 1u); });
    next[i] = atomicExch(head, (u32)i);
}

__global__ void ops64(const u64* longs, std::size_t n, u64 limit, u64* r, u64* head, u64* next) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 b = longs[i];
    atomicAdd(&r[0], b);
    atomicAdd(&r[1], 0ull - b);
    cas_loop(&r[2], [limit](u64 w) { return w >= limit ? 0ull : w + 1; });
    cas_loop(&r[3], [limit](u64 w) { return w == 0 || w > limit ? limit : w - 1; });
    atomicMin(&r[4], b);
    atomicMax(&r[5], b);
    atomicAnd(&r[6], b);
    atomicOr(&r[7], b);
    atomicXor(&r[8], b);
    cas_loop(&r[9], [b](u64 w) { return w * (b | 1ull); });
    next[i] = atomicExch(head, (u64)i);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    // add sub inc dec min max and or xor CAS
    static const u32 start32[10] = {0, 0, 0, 0, ~0u, 0, ~0u, 0, 0, 1};
    static const u64 start64[10] = {0, 0, 0, 0, ~0ull, 0, ~0ull, 0, 0, 1};
    cudaMemcpy(result32, start32, sizeof start32, cudaMemcpyHostToDevice);
    cudaMemcpy(result64, start64, sizeof start64, cudaMemcpyDeviceToHost);
    cudaMemset(head32, 0xff, sizeof *head32);
    cudaMemset(head64, 0xff, sizeof *head64);

    if (n == 0) return;
    const int threads = 128;
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    ops32<<<blocks, threads>>>(words, n, limit, result32, head32, next32);
    ops64<<<blocks, threads>>>((const u64*)longs, n, limit, (u64*)result64, (u64*)head64,
                               (u64*)next64);
}

// ---- the other tasks ------------------------------------------------------

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}
