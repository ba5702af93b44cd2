// cause: no_retry line 12
// task: scatter
// A compare-and-swap that another thread has foiled is not tried again, so amounts are lost when several aim at one account.
#include "interface.cuh"

// atomicAdd does not exist for long long, so here is one.
__device__ void add64(long long* where, long long amount)
{
    unsigned long long* word = (unsigned long long*)where;
    unsigned long long seen = *(volatile unsigned long long*)word;
    unsigned long long wanted = (unsigned long long)((long long)seen + amount);
    atomicCAS(word, seen, wanted);
}

__global__ void clear(long long* total, size_t m)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < m; k += (size_t)gridDim.x * blockDim.x)
        total[k] = 0;
}

__global__ void scatter(const int* value, const unsigned* target, size_t n, long long* total)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        add64(total + target[k], value[k]);
}

void scatter_add(const int32_t* value, const uint32_t* target, size_t n, size_t m, int64_t* total)
{
    clear<<<64, 256>>>((long long*)total, m);
    scatter<<<256, 256>>>(value, target, n, (long long*)total);
}
