// cause: integer_overflow line 10
// task: cubes
// The square is computed as an int before it is stored in a long long; shows when an element is above 46340 in magnitude.
#include "interface.cuh"

#define BS 128

__device__ long long cube(int x)
{
    long long sq = x * x;
    return sq * x;
}

__global__ void cubes_k(const int *in, size_t n, unsigned long long *out)
{
    __shared__ long long sh[BS];
    unsigned int tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (BS * 8) + tid;
    long long s = 0;

    for (int k = 0; k < 8; k++, i += BS)
        if (i < n)
            s += cube(in[i]);
    sh[tid] = s;
    __syncthreads();

    if (tid < 64) sh[tid] += sh[tid + 64];
    __syncthreads();
    if (tid < 32) {
        s = sh[tid] + sh[tid + 32];
        s += __shfl_xor_sync(0xffffffff, s, 16);
        s += __shfl_xor_sync(0xffffffff, s, 8);
        s += __shfl_xor_sync(0xffffffff, s, 4);
        s += __shfl_xor_sync(0xffffffff, s, 2);
        s += __shfl_xor_sync(0xffffffff, s, 1);
        if (tid == 0)
            atomicAdd(out, (unsigned long long)s);
    }
}

void reduce_cubes(const int *in, std::size_t n, long long *out)
{
    cudaMemset(out, 0, sizeof(*out));
    if (n > 0) {
        size_t blocks = (n + BS * 8 - 1) / (BS * 8);
        cubes_k<<<blocks, BS>>>(in, n, (unsigned long long *)out);
    }
}
