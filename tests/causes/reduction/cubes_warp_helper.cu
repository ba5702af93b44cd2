// cause: accumulator_too_narrow line 7
// task: cubes
// The helper that adds up a warp takes 64 bits but adds and returns an int, so sums beyond 2^31 are cut.
#include "interface.cuh"

// sum over all lanes of the warp
__device__ __forceinline__ int warp_reduce(long long x)
{
    for (int o = 1; o < 32; o *= 2)
        x += __shfl_xor_sync(0xffffffff, x, o);
    return x;
}

__global__ void cubes_kernel(const int* in, size_t n, unsigned long long* out)
{
    __shared__ long long sh[8];

    long long total = 0;
    size_t tid = threadIdx.x + (size_t)blockIdx.x * 256;
    size_t all = (size_t)gridDim.x * 256;
    while (tid < n) {
        long long x = in[tid];
        total += x * x * x;
        tid += all;
    }

    total = warp_reduce(total);
    if ((threadIdx.x & 31) == 0)
        sh[threadIdx.x >> 5] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = sh[0];
        for (int w = 1; w < 8; ++w)
            total += sh[w];
        atomicAdd(out, (unsigned long long)total);
    }
}

void reduce_cubes(const int* in, size_t n, long long* out)
{
    cudaMemset(out, 0, sizeof(long long));
    size_t nblocks = (n + 2047) / 2048;
    if (nblocks > 1056)
        nblocks = 1056;
    if (nblocks > 0)
        cubes_kernel<<<(int)nblocks, 256>>>(in, n, (unsigned long long*)out);
}
