// cause: no_retry line 15
// task: scatter
// A compare-and-swap that another thread has forestalled is not tried again, and its amount is lost.
#include "interface.cuh"

typedef unsigned long long ull;

// there is no atomicAdd for long long
__device__ void atomicAddSigned(long long *address, long long amount)
{
    ull *word = (ull *)address;
    ull seen = *(volatile ull *)word;
    ull assumed = seen;
    seen = atomicCAS(word, assumed, (ull)((long long)assumed + amount));
    if (seen != assumed) {
        assumed = seen;
        seen = atomicCAS(word, assumed, (ull)((long long)assumed + amount));
    }
}

__global__ void zero(long long *p, size_t m)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i < m)
        p[i] = 0;
}

__global__ void book(const int *value, const unsigned *target, size_t n, long long *total)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
    if (i < n)
        atomicAddSigned(&total[target[i]], value[i]);
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, size_t n, size_t m,
                 std::int64_t *total)
{
    long long *t = (long long *)total;
    zero<<<(m + 255) / 256, 256>>>(t, m);
    if (n > 0)
        book<<<(n + 255) / 256, 256>>>(value, target, n, t);
}
