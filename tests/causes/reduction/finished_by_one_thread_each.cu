// cause: launch_refused line 37
// task: nested
// The last kernel is launched with one thread for each partial sum, which is refused as soon as there are more than 1024 of them.
#include "interface.cuh"
typedef unsigned long long u64;

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

__global__ void finish(const long long *partial, unsigned count, long long *out)
{
    __shared__ u64 total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    long long mine = 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += partial[i];
    atomicAdd(&total, (u64)mine);
    __syncthreads();
    if (threadIdx.x == 0) *out = (long long)total;
}

__global__ void start(const int *in, size_t n, long long *partial, long long *out)
{
    __shared__ long long sh[256];
    size_t i = (size_t)blockIdx.x * 512 + threadIdx.x;
    long long a = i < n ? in[i] : 0;
    long long b = i + 256 < n ? in[i + 256] : 0;
    sh[threadIdx.x] = a + b;
    for (int s = 128; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sh[0];
        if (blockIdx.x == gridDim.x - 1)
            finish<<<1, gridDim.x, 0, cudaStreamTailLaunch>>>(partial, gridDim.x, out);
    }
}

void reduce_nested(const int *in, size_t n, long long *out)
{
    static long long *partial = NULL;
    static size_t have = 0;
    size_t blocks = (n + 511) / 512;
    if (blocks == 0) blocks = 1;
    if (have < blocks) {
        if (partial) cudaFree(partial);
        cudaMalloc((void **)&partial, blocks * sizeof(long long));
        have = blocks;
    }
    start<<<(unsigned)blocks, 256>>>(in, n, partial, out);
}
