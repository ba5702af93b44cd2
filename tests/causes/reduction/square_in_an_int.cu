// cause: integer_overflow line 10
// task: cubes
// The square is made in 32 bits before it is widened; from 46341 on it does not fit.
#include "interface.cuh"

typedef long long i64;

__device__ __forceinline__ i64 cube(int x)
{
    i64 square = x * x;
    return square * x;
}

__device__ i64 addUpWarp(i64 v)
{
    v += __shfl_down_sync(~0u, v, 16);
    v += __shfl_down_sync(~0u, v, 8);
    v += __shfl_down_sync(~0u, v, 4);
    v += __shfl_down_sync(~0u, v, 2);
    v += __shfl_down_sync(~0u, v, 1);
    return v;
}

__global__ void cubesKernel(const int *in, size_t n, unsigned long long *out)
{
    __shared__ i64 w[16];
    size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t nthreads = gridDim.x * (size_t)blockDim.x;
    size_t nquads = n / 4;
    const int4 *quads = (const int4 *)in;

    i64 mine = 0;
    for (size_t q = tid; q < nquads; q += nthreads) {
        int4 v = quads[q];
        mine += cube(v.x) + cube(v.y) + cube(v.z) + cube(v.w);
    }
    // up to three are left over
    size_t rest = nquads * 4 + tid;
    if (rest < n)
        mine += cube(in[rest]);

    mine = addUpWarp(mine);
    if ((threadIdx.x & 31) == 0)
        w[threadIdx.x >> 5] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < 16 ? w[threadIdx.x] : 0;
        mine = addUpWarp(mine);
        if (threadIdx.x == 0)
            atomicAdd(out, (unsigned long long)mine);
    }
}

void reduce_cubes(const int *in, std::size_t n, long long *out)
{
    cudaMemset(out, 0, sizeof *out);
    size_t blocks = (n + 8191) / 8192;
    if (blocks == 0)
        return;
    if (blocks > 1056)
        blocks = 1056;
    cubesKernel<<<(int)blocks, 512>>>(in, n, (unsigned long long *)out);
}
