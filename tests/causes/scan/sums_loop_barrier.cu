// cause: divergent_barrier line 44
// task: inclusive_int
// the loop over the block sums ends earlier for some threads, which then miss the barriers in its body; shows whenever the number of sums is no multiple of 512
#include "interface.cuh"
#include <cuda_runtime.h>

#define B 512

__device__ int block_scan(int* s, int v)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < B; d <<= 1) {
        int add = 0;
        if (t >= d)
            add = s[t - d];
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    return s[t];
}

__global__ void scan_tiles(const int* in, int n, int* out, int* sums)
{
    __shared__ int s[B];
    int i = blockIdx.x * B + threadIdx.x;
    int v = block_scan(s, i < n ? in[i] : 0);
    if (i < n)
        out[i] = v;
    if (threadIdx.x == B - 1)
        sums[blockIdx.x] = v;
}

/* one block: goes through all sums with a running carry */
__global__ void scan_sums(int* sums, int m)
{
    __shared__ int s[B];
    __shared__ int carry;
    if (threadIdx.x == 0)
        carry = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < m; i += B) {
        int v = block_scan(s, sums[i]);
        sums[i] = carry + v;
        __syncthreads();
        if (threadIdx.x == B - 1)
            carry += v;
        __syncthreads();
    }
}

__global__ void add_sums(int* out, int n, const int* sums)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n && blockIdx.x > 0)
        out[i] += sums[blockIdx.x - 1];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    static int* sums = 0;
    static int cap = 0;
    int blocks = (int)((n + B - 1) / B);
    if (blocks > cap) {
        cudaFree(sums);
        cudaMalloc((void**)&sums, blocks * sizeof(int));
        cap = blocks;
    }
    scan_tiles<<<blocks, B>>>(in, (int)n, out, sums);
    scan_sums<<<1, B>>>(sums, blocks);
    add_sums<<<blocks, B>>>(out, (int)n, sums);
}
