// cause: child_not_in_tail line 37
// task: nested
// The next level is launched beside its parent: it may read sums of blocks that have not written them yet.
#include "interface.cuh"

#define N_THREADS 256

__device__ long long add_block(long long x)
{
    __shared__ long long buf[N_THREADS];
    int i = threadIdx.x;
    buf[i] = x;
    __syncthreads();
    for (int s = N_THREADS / 2; s != 0; s /= 2) {
        if (i < s)
            buf[i] = buf[i] + buf[i + s];
        __syncthreads();
    }
    return buf[0];
}

// sums[] has room for the sums of all levels, one level after the other
template <typename T>
__global__ void level(const T *in, size_t n, long long *sums, long long *out)
{
    size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x;
    long long s = add_block(i < n ? (long long)in[i] : 0);
    if (threadIdx.x != 0)
        return;
    if (gridDim.x == 1) {
        *out = s;
        return;
    }
    sums[blockIdx.x] = s;
    if (blockIdx.x == 0) {
        unsigned next = (gridDim.x + N_THREADS - 1) / N_THREADS;
        level<long long><<<next, N_THREADS, 0, cudaStreamFireAndForget>>>(sums, gridDim.x, sums + gridDim.x, out);
    }
}

void reduce_nested(const int *in, std::size_t n, long long *out)
{
    static long long *sums = 0;
    static size_t room = 0;
    size_t blocks = n == 0 ? 1 : (n + N_THREADS - 1) / N_THREADS;
    if (2 * blocks > room) {
        cudaFree(sums);
        room = 2 * blocks;
        cudaMalloc(&sums, room * sizeof(long long));
    }
    level<int><<<(unsigned)blocks, N_THREADS>>>(in, n, sums, out);
}
