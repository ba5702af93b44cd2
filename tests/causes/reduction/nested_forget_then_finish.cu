// cause: child_not_in_tail line 51 or 50
// task: nested
// The first child is launched by fire and forget, so the second, in the default stream of the block, does not
// wait for it and adds up partial sums that are not there yet.
#include "interface.cuh"

const unsigned WORKERS = 256;
const unsigned BLOCK = 256;

__device__ long long partials[WORKERS];

__device__ void blockReduce(long long v, long long* result)
{
    __shared__ long long sh[BLOCK];
    unsigned tid = threadIdx.x;
    sh[tid] = v;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 32; s /= 2) {
        if (tid < s)
            sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        v = sh[tid] + sh[tid + 32];
        for (int o = 16; o > 0; o /= 2)
            v += __shfl_down_sync(0xFFFFFFFF, v, o);
        if (tid == 0)
            *result = v;
    }
}

__global__ void work(const int* in, size_t n)
{
    long long v = 0;
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        v += in[i];
    blockReduce(v, &partials[blockIdx.x]);
}

__global__ void finish(unsigned count, long long* out)
{
    blockReduce(threadIdx.x < count ? partials[threadIdx.x] : 0, out);
}

// the boss has one thread, which hands out the work
__global__ void boss(const int* in, size_t n, long long* out)
{
    size_t b = (n + BLOCK - 1) / BLOCK;
    unsigned workers = b > WORKERS ? WORKERS : b < 1 ? 1 : (unsigned)b;
    work<<<workers, BLOCK, 0, cudaStreamFireAndForget>>>(in, n);
    finish<<<1, BLOCK>>>(workers, out);
}

void reduce_nested(const int* in, size_t n, long long* out)
{
    boss<<<1, 1>>>(in, n, out);
}
