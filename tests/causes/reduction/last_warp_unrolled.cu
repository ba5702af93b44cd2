// cause: missing_warp_sync line 14 or 15
// task: cubes
// The last six steps of the tree are done by one warp, whose lanes are supposed to run in step; between the steps of 4 and 2 nothing makes them wait for each other.
#include "interface.cuh"

#define N_THREADS 256

// the end of the tree: only one warp is left, no __syncthreads() needed
__device__ void lastWarp(long long *v, int t)
{
    if (t < 32) { v[t] += v[t + 32]; } __syncwarp();
    if (t < 16) { v[t] += v[t + 16]; } __syncwarp();
    if (t < 8)  { v[t] += v[t + 8]; }  __syncwarp();
    if (t < 4)  { v[t] += v[t + 4]; }
    if (t < 2)  { v[t] += v[t + 2]; }  __syncwarp();
    if (t < 1)  { v[t] += v[t + 1]; }
}

__global__ void sumOfCubes(const int *in, size_t n, long long *out)
{
    __shared__ long long v[N_THREADS];
    int t = threadIdx.x;
    long long sum = 0;

    for (size_t i = (size_t)blockIdx.x * N_THREADS + t; i < n; i += (size_t)gridDim.x * N_THREADS) {
        long long x = in[i];
        sum += x * x * x;
    }
    v[t] = sum;
    __syncthreads();

    if (t < 128) v[t] += v[t + 128];
    __syncthreads();
    if (t < 64) v[t] += v[t + 64];
    __syncthreads();
    if (t < 32) lastWarp(v, t);

    if (t == 0)
        atomicAdd((unsigned long long *)out, (unsigned long long)v[0]);
}

void reduce_cubes(const int *in, std::size_t n, long long *out)
{
    int blocks = 256;
    if (n < 65536)
        blocks = n / N_THREADS + 1;
    cudaMemset(out, 0, sizeof(long long));
    sumOfCubes<<<blocks, N_THREADS>>>(in, n, out);
}

void reduce_sum(const double *in, std::size_t n, double *out) { }
void reduce_max(const float *in, std::size_t n, float *out) { }
void reduce_nested(const int *in, std::size_t n, long long *out) { }
