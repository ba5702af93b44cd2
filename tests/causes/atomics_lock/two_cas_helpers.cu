// cause: accumulator_too_narrow line 23
// task: atomic_ops
// The new 64-bit product is kept in an unsigned int, so its upper half is lost.
#include "interface.cuh"

typedef unsigned long long ull;

__device__ void mul32(unsigned int* w, unsigned int a)
{
    unsigned int old = *(volatile unsigned int*)w, seen;
    do {
        seen = old;
        unsigned int product = seen * (a | 1);
        old = atomicCAS(w, seen, product);
    } while (old != seen);
}

__device__ void mul64(ull* w, ull b)
{
    ull old = *(volatile ull*)w, seen;
    do {
        seen = old;
        unsigned int product = seen * (b | 1);
        old = atomicCAS(w, seen, product);
    } while (old != seen);
}

__device__ void inc64(ull* w, ull limit)
{
    ull old = *(volatile ull*)w, seen;
    do {
        seen = old;
        old = atomicCAS(w, seen, seen >= limit ? 0 : seen + 1);
    } while (old != seen);
}

__device__ void dec64(ull* w, ull limit)
{
    ull old = *(volatile ull*)w, seen;
    do {
        seen = old;
        old = atomicCAS(w, seen, (seen == 0 || seen > limit) ? limit : seen - 1);
    } while (old != seen);
}

__global__ void start(unsigned int* r, ull* q, unsigned int* head32, ull* head64)
{
    int k = threadIdx.x;
    r[k] = (k == 4 || k == 6) ? 0xffffffffu : (k == 9 ? 1u : 0u);
    q[k] = (k == 4 || k == 6) ? ~0ull : (k == 9 ? 1ull : 0ull);
    if (k == 0) {
        *head32 = 0xffffffffu;
        *head64 = ~0ull;
    }
}

__global__ void ops(const unsigned int* words, const uint64_t* longs, size_t n,
                    unsigned int limit, unsigned int* r, ull* q, unsigned int* head32,
                    ull* head64, unsigned int* next32, uint64_t* next64)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int a = words[i];
    ull b = longs[i];

    atomicAdd(&r[0], a);         atomicAdd(&q[0], b);
    atomicSub(&r[1], a);         atomicAdd(&q[1], 0 - b);
    atomicInc(&r[2], limit);     inc64(&q[2], limit);
    atomicDec(&r[3], limit);     dec64(&q[3], limit);
    atomicMin(&r[4], a);         atomicMin(&q[4], b);
    atomicMax(&r[5], a);         atomicMax(&q[5], b);
    atomicAnd(&r[6], a);         atomicAnd(&q[6], b);
    atomicOr(&r[7], a);          atomicOr(&q[7], b);
    atomicXor(&r[8], a);         atomicXor(&q[8], b);
    mul32(&r[9], a);             mul64(&q[9], b);

    next32[i] = atomicExch(head32, (unsigned int)i);
    next64[i] = atomicExch(head64, (ull)i);
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64)
{
    start<<<1, 10>>>(result32, (ull*)result64, head32, (ull*)head64);
    if (n == 0) return;
    ops<<<(n + 255) / 256, 256>>>(words, longs, n, limit, result32, (ull*)result64, head32,
                                  (ull*)head64, next32, next64);
}
