// cause: accumulator_too_narrow line 29
// task: exclusive_float
// the totals of the warps go through an int array, which cuts off their fractions; shows when the floats are not whole numbers and n exceeds 32
#include "interface.cuh"
#include <cuda_runtime.h>

#define FULL 0xffffffffu
#define LOG_THREADS 8
#define THREADS (1 << LOG_THREADS)

template <class T>
__device__ T lanes_before(T mine, T& warp_total)
{
    const unsigned lane = threadIdx.x & 31u;
    T acc = mine;
    #pragma unroll
    for (unsigned d = 1; d <= 16; d <<= 1) {
        T t = __shfl_up_sync(FULL, acc, d);
        if (lane >= d) acc = acc + t;
    }
    warp_total = __shfl_sync(FULL, acc, 31);
    T left = __shfl_up_sync(FULL, acc, 1);
    return lane == 0 ? T(0) : left;
}

template <class T>
__device__ T threads_before(T mine, T& block_total)
{
    __shared__ int totals[THREADS / 32];
    T warp_total;
    T left = lanes_before(mine, warp_total);
    if ((threadIdx.x & 31u) == 0u) totals[threadIdx.x >> 5] = warp_total;
    __syncthreads();
    T wleft = T(0);
    block_total = T(0);
    for (unsigned w = 0; w < THREADS / 32; ++w) {
        if (w == (threadIdx.x >> 5)) wleft = block_total;
        block_total = block_total + totals[w];
    }
    return (threadIdx.x >> 5) == 0u ? left : wleft + left;
}

#define DEFINE_SCAN(NAME, T)                                                              \
    __global__ void NAME##_tile(const T* in, size_t n, T* out, T* sums)                   \
    {                                                                                     \
        size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;                            \
        T total, left = threads_before<T>(i < n ? in[i] : T(0), total);                   \
        if (i < n) out[i] = left;                                                         \
        if (sums != 0 && threadIdx.x == 0) sums[blockIdx.x] = total;                      \
    }                                                                                     \
    __global__ void NAME##_add(T* out, size_t n, const T* before)                         \
    {                                                                                     \
        size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;                            \
        if (i < n) out[i] = before[blockIdx.x] + out[i];                                  \
    }                                                                                     \
    static void NAME##_levels(const T* in, size_t n, T* out, T* tmp)                      \
    {                                                                                     \
        size_t blocks = (n + THREADS - 1) >> LOG_THREADS;                                 \
        T* sums = blocks > 1 ? tmp : (T*)0;                                               \
        NAME##_tile<<<(unsigned)blocks, THREADS>>>(in, n, out, sums);                     \
        if (blocks > 1) {                                                                 \
            NAME##_levels(sums, blocks, tmp + blocks, tmp + 2 * blocks);                  \
            NAME##_add<<<(unsigned)blocks, THREADS>>>(out, n, tmp + blocks);              \
        }                                                                                 \
    }                                                                                     \
    void NAME(const T* in, std::size_t n, T* out)                                         \
    {                                                                                     \
        static T* tmp = 0;                                                                \
        static size_t room = 0;                                                           \
        if (n > room) {                                                                   \
            cudaFree(tmp);                                                                \
            cudaMalloc((void**)&tmp, (n / 32 + 32) * sizeof(T));                          \
            room = n;                                                                     \
        }                                                                                 \
        NAME##_levels(in, n, out, tmp);                                                   \
    }

DEFINE_SCAN(scan_exclusive_float, float)
