// cause: state_kept_between_calls line 30
// task: bytes
// The ticket counter wraps one too late and is not 0 after the first call, so that in later calls no block, or the wrong one, believes to be the last and merges.
#include "interface.cuh"

#define NBLK 24
#define NTHR 256

__device__ unsigned int g_partial[NBLK][256];
__device__ unsigned int g_ticket = 0;

__global__ void hist_onepass(const unsigned char *data, size_t len, unsigned int *result)
{
    __shared__ unsigned int local[256];
    __shared__ bool last;

    int tid = threadIdx.x;
    local[tid] = 0;
    __syncthreads();

    for (size_t p = (size_t)blockIdx.x * NTHR + tid; p < len; p += (size_t)NTHR * NBLK)
        atomicAdd(&local[data[p]], 1);
    __syncthreads();

    g_partial[blockIdx.x][tid] = local[tid];
    __threadfence();
    __syncthreads();

    if (tid == 0) {
        unsigned int t = atomicInc(&g_ticket, gridDim.x);
        last = (t == gridDim.x - 1);
    }
    __syncthreads();

    if (last) {
        __threadfence();
        unsigned int s = 0;
        for (int b = 0; b < NBLK; b++)
            s += *(volatile unsigned int *)&g_partial[b][tid];
        result[tid] = s;
    }
}

void histogram_bytes(const unsigned char *in, size_t n, unsigned int *bins)
{
    hist_onepass<<<NBLK, NTHR>>>(in, n, bins);
}
