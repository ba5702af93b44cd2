// cause: not_a_power_of_two line 7 or 24
// task: exclusive_float
// the halving loop goes 48, 24, 12, 6, 3, 1 and drops one of the last three partial sums; shows from 161 elements on, where segments have a third element
#include "interface.cuh"

// 3 warps per block give the best occupancy on my card
#define NTHREADS 96
#define NSEG 80

__device__ float g_seg[NSEG];

__global__ void k_sum(const float* a, int n, int seglen)
{
    __shared__ float sh[NTHREADS];
    int tid = threadIdx.x;
    int from = blockIdx.x * seglen;
    int to = from + seglen;
    if (to > n) to = n;

    sh[tid] = 0;
    for (int i = from + tid; i < to; i += NTHREADS)
        sh[tid] += a[i];
    __syncthreads();
    for (int half = NTHREADS / 2; half > 0; half /= 2) {
        if (tid < half)
            sh[tid] += sh[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        g_seg[blockIdx.x] = sh[0];
}

__global__ void k_scan(const float* a, int n, int seglen, float* o)
{
    __shared__ float ping[NTHREADS], pong[NTHREADS];
    int tid = threadIdx.x;
    int from = blockIdx.x * seglen;
    int to = from + seglen;
    if (to > n) to = n;

    float run = 0;
    for (int s = 0; s < (int)blockIdx.x; s++)
        run += g_seg[s];

    for (int base = from; base < to; base += NTHREADS) {
        int i = base + tid;
        float* src = ping;
        float* dst = pong;
        src[tid] = i < to ? a[i] : 0;
        __syncthreads();
        for (int d = 1; d < NTHREADS; d *= 2) {
            float v = src[tid];
            if (tid >= d) v += src[tid - d];
            dst[tid] = v;
            __syncthreads();
            float* t = src; src = dst; dst = t;
        }
        if (i < to)
            o[i] = tid == 0 ? run : run + src[tid - 1];
        run += src[NTHREADS - 1];
        __syncthreads();
    }
}

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    int len = ((int)n + NSEG - 1) / NSEG;
    k_sum<<<NSEG, NTHREADS>>>(in, (int)n, len);
    k_scan<<<NSEG, NTHREADS>>>(in, (int)n, len, out);
}
