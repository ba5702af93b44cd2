// cause: wrong_identity line 53
// task: atomic_ops
// the 64-bit minimum starts from the largest 32-bit number; wrong when all of longs are above 2^32 - 1
#include "interface.cuh"

#include <climits>

// Task 1. Write this device function from a 64-bit atomicCAS, and a kernel that uses it:
//     __device__ double atomic_add_double(double* address, double value);   // returns the old
//     value
void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

// Task 2. Write a lock, and let one thread of each block update the record under it:
//     struct Lock { __device__ void lock(); __device__ void unlock(); ... };
void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

// Task 3. One lock per account; every thread takes two of them.
void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

typedef unsigned int u32;
typedef unsigned long long u64;

enum Op { ADD, SUB, INC, DEC, MIN, MAX, AND, OR, XOR, CAS, OPS };

// what is 64 bits wide and has no atomic of its own
template <typename W, typename F>
__device__ void cas_loop(W* p, F change) {
    W now = *p;
    while (true) {
        const W seen = atomicCAS(p, now, change(now));
        if (seen == now) return;
        now = seen;
    }
}

__global__ void set_up(u32* r32, u64* r64, u32* head32, u64* head64) {
    const int op = threadIdx.x;
    switch (op) {
        case MIN:
            r32[op] = UINT_MAX;
            r64[op] = UINT_MAX;
            break;
        case AND:
            r32[op] = ~0u;
            r64[op] = ~0ull;
            break;
        case CAS:  // a product
            r32[op] = 1;
            r64[op] = 1;
            break;
        case OPS:  // one thread more, for the ends of the lists
            *head32 = ~0u;
            *head64 = ~0ull;
            break;
        default:
            r32[op] = 0;
            r64[op] = 0;
    }
}

__global__ void all_32(const u32* words, size_t n, u32 limit, u32* r, u32* head, u32* next) {
    const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
    if (i >= n) return;
    const u32 a = words[i];
    atomicAdd(&r[ADD], a);
    atomicSub(&r[SUB], a);
    atomicInc(&r[INC], limit);
    atomicDec(&r[DEC], limit);
    atomicMin(&r[MIN], a);
    atomicMax(&r[MAX], a);
    atomicAnd(&r[AND], a);
    atomicOr(&r[OR], a);
    atomicXor(&r[XOR], a);
    cas_loop(&r[CAS], [a](u32 w) { return w * (a | 1u); });
    next[i] = atomicExch(head, u32(i));
}

__global__ void all_64(const u64* longs, size_t n, u64 limit, u64* r, u64* head, u64* next) {
    const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
    if (i >= n) return;
    const u64 b = longs[i];
    atomicAdd(&r[ADD], b);
    atomicAdd(&r[SUB], 0 - b);
    cas_loop(&r[INC], [limit](u64 w) { return w >= limit ? 0 : w + 1; });
    cas_loop(&r[DEC], [limit](u64 w) { return w == 0 || w > limit ? limit : w - 1; });
    atomicMin(&r[MIN], b);
    atomicMax(&r[MAX], b);
    atomicAnd(&r[AND], b);
    atomicOr(&r[OR], b);
    atomicXor(&r[XOR], b);
    cas_loop(&r[CAS], [b](u64 w) { return w * (b | 1ull); });
    next[i] = atomicExch(head, u64(i));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    u64* r64 = (u64*)result64;
    u64* h64 = (u64*)head64;
    set_up<<<1, OPS + 1>>>(result32, r64, head32, h64);

    if (n > 0) {
        const unsigned blocks = unsigned((n + 127) / 128);
        all_32<<<blocks, 128>>>(words, n, limit, result32, head32, next32);
        all_64<<<blocks, 128>>>((const u64*)longs, n, limit, r64, h64, (u64*)next64);
    }
}
