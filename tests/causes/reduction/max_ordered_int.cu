// cause: converted_not_reinterpreted line 10
// task: max
// The key for the atomic maximum is made from the value cut to an integer, not from its bits.
#include "interface.cuh"
#include <climits>

// the bits of a float as an int that sorts the same way
static __device__ int float_to_key(float f)
{
    int bits = (int)f;
    return bits >= 0 ? bits : bits ^ INT_MAX;
}

static __device__ float key_to_float(int key)
{
    return __int_as_float(key >= 0 ? key : key ^ INT_MAX);
}

#define MINUS_INF __int_as_float(0xff800000)

static __device__ int best;

__global__ void prepare() { best = INT_MIN; }

__global__ void search(const float *a, size_t n)
{
    __shared__ int block_best;
    if (threadIdx.x == 0)
        block_best = INT_MIN;
    __syncthreads();

    int mine = INT_MIN;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        mine = max(mine, float_to_key(a[i]));

    for (int d = 16; d > 0; d >>= 1)
        mine = max(mine, __shfl_down_sync(0xffffffff, mine, d));
    if (threadIdx.x % 32 == 0)
        atomicMax(&block_best, mine);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicMax(&best, block_best);
}

__global__ void publish(float *out) { *out = best == INT_MIN ? MINUS_INF : key_to_float(best); }

void reduce_max(const float *in, size_t n, float *out)
{
    prepare<<<1, 1>>>();
    if (n != 0) {
        size_t nb = (n + 4095) / 4096;
        if (nb > 1024)
            nb = 1024;
        search<<<nb, 512>>>(in, n);
    }
    publish<<<1, 1>>>(out);
}
