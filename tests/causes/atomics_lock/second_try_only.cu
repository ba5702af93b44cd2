// cause: no_retry line 29
// task: atomic_ops
// the 64-bit multiplication by compare-and-swap tries a second time at most; shows when more than two threads meet at the word
#include "interface.cuh"

typedef unsigned long long ull;

__device__ void inc64(ull* w, ull limit) {
    ull seen = atomicAdd(w, 0ULL), was;
    while (true) {
        was = atomicCAS(w, seen, seen >= limit ? 0 : seen + 1);
        if (was == seen) break;
        seen = was;
    }
}

__device__ void dec64(ull* w, ull limit) {
    ull seen = atomicAdd(w, 0ULL), was;
    while (true) {
        was = atomicCAS(w, seen, (seen == 0 || seen > limit) ? limit : seen - 1);
        if (was == seen) break;
        seen = was;
    }
}

__device__ void mul64(ull* w, ull f) {
    ull seen = atomicAdd(w, 0ULL);
    ull was = atomicCAS(w, seen, seen * f);
    if (was != seen) {
        seen = was;
        was = atomicCAS(w, seen, seen * f);
    }
}

__device__ void mul32(unsigned* w, unsigned f) {
    unsigned seen = atomicAdd(w, 0u), was;
    while ((was = atomicCAS(w, seen, seen * f)) != seen) seen = was;
}

__global__ void setup(unsigned* r, ull* R, unsigned* h, ull* H) {
    int k = threadIdx.x;
    r[k] = k == 4 || k == 6 ? ~0u : k == 9 ? 1u : 0u;
    R[k] = k == 4 || k == 6 ? ~0ull : k == 9 ? 1ull : 0ull;
    if (k == 0) { *h = ~0u; *H = ~0ull; }
}

__global__ void ops32(const unsigned* words, size_t n, unsigned limit, unsigned* r, unsigned* head, unsigned* next) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned a = words[i];
        atomicAdd(r + 0, a);
        atomicSub(r + 1, a);
        atomicInc(r + 2, limit);
        atomicDec(r + 3, limit);
        atomicMin(r + 4, a);
        atomicMax(r + 5, a);
        atomicAnd(r + 6, a);
        atomicOr(r + 7, a);
        atomicXor(r + 8, a);
        mul32(r + 9, a | 1);
        next[i] = atomicExch(head, (unsigned)i);
    }
}

__global__ void ops64(const ull* longs, size_t n, unsigned limit, ull* r, ull* head, ull* next) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ull b = longs[i];
        atomicAdd(r + 0, b);
        atomicAdd(r + 1, 0 - b);
        inc64(r + 2, limit);
        dec64(r + 3, limit);
        atomicMin(r + 4, b);
        atomicMax(r + 5, b);
        atomicAnd(r + 6, b);
        atomicOr(r + 7, b);
        atomicXor(r + 8, b);
        mul64(r + 9, b | 1);
        next[i] = atomicExch(head, (ull)i);
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n, std::uint32_t limit,
                std::uint32_t* result32, std::uint64_t* result64, std::uint32_t* head32, std::uint64_t* head64,
                std::uint32_t* next32, std::uint64_t* next64) {
    setup<<<1, 10>>>(result32, (ull*)result64, head32, (ull*)head64);
    if (n == 0) return;
    int blocks = n < 64 * 128 ? (n + 127) / 128 : 64;
    ops32<<<blocks, 128>>>(words, n, limit, result32, head32, next32);
    ops64<<<blocks, 128>>>((const ull*)longs, n, limit, (ull*)result64, (ull*)head64, (ull*)next64);
}
