// cause: launch_refused line 42
// task: nested
// The closing child gets one thread per partial sum (rounded up to a power of two), more than 1024 when n is beyond 262144, and is refused.
#include "interface.cuh"

__global__ void finish(const long long *part, int count, long long *out)
{
    extern __shared__ long long sh[];
    int t = threadIdx.x;
    long long mine = 0;
    for (int k = t; k < count; k += blockDim.x)
        mine += part[k];
    sh[t] = mine;
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (t < h)
            sh[t] += sh[t + h];
        __syncthreads();
    }
    if (t == 0)
        *out = sh[0];
}

__global__ void start(const int *in, size_t n, long long *part, long long *out)
{
    __shared__ long long sh[256];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    sh[t] = (i < n) ? in[i] : 0;
    __syncthreads();
    for (int h = 128; h > 0; h /= 2) {
        if (t < h)
            sh[t] += sh[t + h];
        __syncthreads();
    }
    if (t != 0)
        return;
    part[blockIdx.x] = sh[0];

    if (blockIdx.x == gridDim.x - 1) {
        int threads = 1;
        while (threads < gridDim.x)
            threads *= 2;
        finish<<<1, threads, threads * sizeof(long long), cudaStreamTailLaunch>>>(part, gridDim.x, out);
    }
}

void reduce_nested(const int *in, size_t n, long long *out)
{
    static long long *part = nullptr;
    static size_t room = 0;

    size_t blocks = (n + 255) / 256;
    if (blocks == 0)
        blocks = 1;
    if (blocks > room) {
        if (part)
            cudaFree(part);
        cudaMalloc((void **)&part, blocks * sizeof(long long));
        room = blocks;
    }
    start<<<blocks, 256>>>(in, n, part, out);
}
