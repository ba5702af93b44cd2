// cause: missing_atomic line 34 or 35
// task: atomic_ops
// the head of the 32-bit list is read and written in two steps, so elements get lost from the list; shows from two elements on.
#include "interface.cuh"

#define CAS_LOOP(T, ptr, expr)                       \
    do {                                             \
        T w = *(volatile T*)(ptr), seen;             \
        do {                                         \
            seen = w;                                \
            w = atomicCAS((ptr), seen, (T)(expr));   \
        } while (w != seen);                         \
    } while (0)

using ull = unsigned long long;

__global__ void opsKernel(const unsigned* words, const ull* longs, size_t n, unsigned limit,
                          unsigned* s, ull* l, unsigned* head32, ull* head64,
                          unsigned* next32, ull* next64)
{
    const size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        const unsigned a = words[i];
        atomicAdd(&s[0], a);
        atomicSub(&s[1], a);
        atomicInc(&s[2], limit);
        atomicDec(&s[3], limit);
        atomicMin(&s[4], a);
        atomicMax(&s[5], a);
        atomicAnd(&s[6], a);
        atomicOr(&s[7], a);
        atomicXor(&s[8], a);
        CAS_LOOP(unsigned, &s[9], w * (a | 1u));
        next32[i] = *head32;
        *head32 = (unsigned)i;

        const ull b = longs[i];
        atomicAdd(&l[0], b);
        atomicAdd(&l[1], -b);
        CAS_LOOP(ull, &l[2], w >= limit ? 0 : w + 1);
        CAS_LOOP(ull, &l[3], w == 0 || w > limit ? limit : w - 1);
        atomicMin(&l[4], b);
        atomicMax(&l[5], b);
        atomicAnd(&l[6], b);
        atomicOr(&l[7], b);
        atomicXor(&l[8], b);
        CAS_LOOP(ull, &l[9], w * (b | 1ull));
        next64[i] = atomicExch(head64, (ull)i);
    }
}

void atomic_ops(const uint32_t* words, const uint64_t* longs, size_t n, uint32_t limit,
                uint32_t* result32, uint64_t* result64, uint32_t* head32, uint64_t* head64,
                uint32_t* next32, uint64_t* next64)
{
    const uint32_t init32[10] = {0, 0, 0, 0, UINT32_MAX, 0, UINT32_MAX, 0, 0, 1};
    const uint64_t init64[10] = {0, 0, 0, 0, UINT64_MAX, 0, UINT64_MAX, 0, 0, 1};
    cudaMemcpy(result32, init32, sizeof init32, cudaMemcpyHostToDevice);
    cudaMemcpy(result64, init64, sizeof init64, cudaMemcpyHostToDevice);
    cudaMemset(head32, 0xff, sizeof *head32);
    cudaMemset(head64, 0xff, sizeof *head64);
    if (n > 0) {
        opsKernel<<<(n + 63) / 64, 64>>>(words, (const ull*)longs, n, limit, result32, (ull*)result64,
                                         head32, (ull*)head64, next32, (ull*)next64);
    }
}
