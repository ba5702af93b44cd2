// cause: not_a_power_of_two line 15
// task: nested
// Each level folds the upper half onto the lower one and drops the middle element of an odd number of partial sums.
#include "interface.cuh"

#define THREADS 512

/* fold: a[i] += a[i + half], then go on with the half */
__global__ void fold(long long *a, unsigned m, long long *out)
{
    if (m == 1) {
        *out = a[0];
        return;
    }
    unsigned half = m / 2;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half)
        a[i] += a[i + half];
    if (i == 0) {
        unsigned threads = half < THREADS ? half : THREADS;
        fold<<<(half + threads - 1) / threads, threads, 0, cudaStreamTailLaunch>>>(a, half, out);
    }
}

__global__ void first(const int *in, size_t n, long long *a, long long *out)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;
    long long v = 0;
    for (size_t i = t; i < n; i += all)
        v += in[i];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        a[t / 32] = v;
    if (t == 0) {
        unsigned m = (unsigned)(all / 32);
        fold<<<(m + THREADS - 1) / THREADS, THREADS, 0, cudaStreamTailLaunch>>>(a, m, out);
    }
}

void reduce_nested(const int *in, size_t n, long long *out)
{
    static long long *a = NULL;
    const size_t max_blocks = 1056;
    size_t blocks = (n + 2047) / 2048;
    if (!a)
        cudaMalloc((void **)&a, max_blocks * 8 * sizeof(long long));
    if (blocks == 0)
        blocks = 1;
    if (blocks > max_blocks)
        blocks = max_blocks;
    first<<<(unsigned)blocks, 256>>>(in, n, a, out);
}
