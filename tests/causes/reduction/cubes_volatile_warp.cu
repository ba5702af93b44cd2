// cause: missing_warp_sync line 12 or 13
// task: cubes
// The last warp adds up through volatile shared memory without __syncwarp between the steps, relying on lockstep.
#include "interface.cuh"

#define N_THREADS 128

__device__ void warp_reduce(volatile long long *sdata, unsigned tid)
{
    long long v = sdata[tid];
    for (int d = 32; d > 0; d >>= 1) {
        v += sdata[tid + d];
        sdata[tid] = v;
    }
}

__global__ void k_cubes(const int *g_idata, size_t n, unsigned long long *g_odata)
{
    __shared__ volatile long long sdata[N_THREADS + 32];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (N_THREADS * 8) + tid;

    long long v = 0;
    for (int k = 0; k < 8; k++, i += N_THREADS)
        if (i < n) {
            long long x = g_idata[i];
            v += x * x * x;
        }
    sdata[tid] = v;
    if (tid < 32) sdata[N_THREADS + tid] = 0;
    __syncthreads();

    if (tid < 64) sdata[tid] = v = v + sdata[tid + 64];
    __syncthreads();

    if (tid < 32) {
        warp_reduce(sdata, tid);
        if (tid == 0) atomicAdd(g_odata, (unsigned long long)sdata[0]);
    }
}

void reduce_cubes(const int *in, size_t n, long long *out)
{
    unsigned blocks = (unsigned)((n + N_THREADS * 8 - 1) / (N_THREADS * 8));
    cudaMemset(out, 0, sizeof(long long));
    if (blocks > 0)
        k_cubes<<<blocks, N_THREADS>>>(in, n, (unsigned long long *)out);
}
