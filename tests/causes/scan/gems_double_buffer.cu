// cause: launch_refused line 58
// task: exclusive_float
// The launch asks for shared memory for the whole array and not for a tile, which no multiprocessor has for large n; it shows beyond about 6000 elements.
#include "interface.cuh"

/* temp holds two buffers, one after the other */
__global__ void scan_block(float *g_odata, const float *g_idata, size_t n, float *sums)
{
    extern __shared__ float temp[];
    int m = blockDim.x;
    int thid = threadIdx.x;
    size_t gid = (size_t)blockIdx.x * m + thid;
    int pout = 0, pin = 1;

    /* shift right by one and set the first element to 0 */
    temp[pout * m + thid] = (thid > 0 && gid - 1 < n) ? g_idata[gid - 1] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < m; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * m + thid] = temp[pin * m + thid] + temp[pin * m + thid - offset];
        else
            temp[pout * m + thid] = temp[pin * m + thid];
        __syncthreads();
    }

    if (gid < n)
        g_odata[gid] = temp[pout * m + thid];
    if (thid == m - 1)
        sums[blockIdx.x] = temp[pout * m + thid] + (gid < n ? g_idata[gid] : 0.0f);
}

__global__ void scan_sums(float *sums, int blocks)
{
    float acc = 0.0f;
    for (int b = 0; b < blocks; b++) {
        float s = sums[b];
        sums[b] = acc;
        acc += s;
    }
}

__global__ void add_sums(float *data, size_t n, const float *sums)
{
    size_t gid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (gid < n)
        data[gid] += sums[blockIdx.x];
}

void scan_exclusive_float(const float *in, std::size_t n, float *out)
{
    int threads = 256;
    int blocks = (int)((n + threads - 1) / threads);
    float *sums;
    cudaMalloc((void **)&sums, blocks * sizeof(float));
    scan_block<<<blocks, threads, 2 * blocks * threads * sizeof(float)>>>(out, in, n, sums);
    scan_sums<<<1, 1>>>(sums, blocks);
    add_sums<<<blocks, threads>>>(out, n, sums);
    cudaFree(sums);
}

void scan_inclusive_int(const int *, std::size_t, int *) {}
void scan_exclusive_int(const int *, std::size_t, int *) {}
void scan_inclusive_float(const float *, std::size_t, float *) {}
