// cause: wrong_stride line 19
// task: cubes
// Each thread takes four neighbours in a turn, but steps on by the number of threads only; shows as soon as n exceeds the number of threads in the grid.
#include "interface.cuh"

#define THREADS_PER_BLOCK 256
#define ITEMS 4

/* x to the third, in 64 bits */
#define CUBE(x) ((long long)(x) * (x) * (x))

__global__ void cubesKernel(const int *in, size_t n, unsigned long long *out)
{
    __shared__ long long sdata[THREADS_PER_BLOCK];
    const size_t gid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    long long sum = 0;

    for (size_t i = gid * ITEMS; i < n; i += threads) {
        if (i + ITEMS <= n) {
            int4 v = *(const int4 *)&in[i];
            sum += CUBE(v.x) + CUBE(v.y) + CUBE(v.z) + CUBE(v.w);
        } else {
            for (size_t j = i; j < n; j++)
                sum += CUBE(in[j]);
        }
    }

    sdata[threadIdx.x] = sum;
    __syncthreads();
    for (int s = THREADS_PER_BLOCK / 2; s >= 1; s = s / 2) {
        if (threadIdx.x < s)
            sdata[threadIdx.x] += sdata[threadIdx.x + s];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(out, (unsigned long long)sdata[0]);
}

void reduce_cubes(const int *in, size_t n, long long *out)
{
    size_t blocks = (n + 2047) / 2048;
    if (blocks == 0) blocks = 1;
    if (blocks > 1056) blocks = 1056;

    cudaMemset(out, 0, sizeof(long long));
    cubesKernel<<<(int)blocks, THREADS_PER_BLOCK>>>(in, n, (unsigned long long *)out);
}
