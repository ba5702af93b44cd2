// cause: launch_swapped line 83
// task: inclusive_int
// The last kernel is launched with the number of blocks and the number of threads swapped. As long as there are at most 1024 tiles the product is the same and all is well; beyond that the launch is refused.
#include "interface.cuh"

#define TPB 256
#define WARPS (TPB / 32)

__device__ int scan32(int v)
{
    int lane = threadIdx.x & 31;
    for (int k = 1; k < 32; k <<= 1) {
        int u = __shfl_up_sync(0xffffffff, v, k);
        if (lane >= k)
            v += u;
    }
    return v;
}

/* inclusive scan of one value per thread */
__device__ int scanBlock(int v)
{
    __shared__ int tot[WARPS];
    int w = threadIdx.x / 32;
    v = scan32(v);
    if (threadIdx.x % 32 == 31)
        tot[w] = v;
    __syncthreads();
    for (int k = 0; k < w; k++)
        v += tot[k];
    __syncthreads();
    return v;
}

__global__ void kScan(const int *in, int n, int *out, int *tileSum)
{
    int i = blockIdx.x * TPB + threadIdx.x;
    int v = scanBlock(i < n ? in[i] : 0);
    if (i < n)
        out[i] = v;
    if (threadIdx.x == TPB - 1)
        tileSum[blockIdx.x] = v;
}

/* one block walks over all the sums, makes them exclusive */
__global__ void kSums(int *tileSum, int m)
{
    __shared__ int lastOne;
    int carry = 0;
    for (int base = 0; base < m; base += TPB) {
        int i = base + threadIdx.x;
        int own = i < m ? tileSum[i] : 0;
        int v = scanBlock(own) + carry;
        if (i < m)
            tileSum[i] = v - own;
        if (threadIdx.x == TPB - 1)
            lastOne = v;
        __syncthreads();
        carry = lastOne;
        __syncthreads();
    }
}

__global__ void kAdd(int *out, int n, const int *tileSum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += tileSum[i / TPB];
}

void scan_inclusive_int(const int *in, size_t n, int *out)
{
    static int *tileSum;
    static int have;
    int tiles = (int)((n + TPB - 1) / TPB);
    if (tiles > have) {
        cudaFree(tileSum);
        cudaMalloc(&tileSum, tiles * sizeof(int));
        have = tiles;
    }
    kScan<<<tiles, TPB>>>(in, (int)n, out, tileSum);
    kSums<<<1, TPB>>>(tileSum, tiles);
    kAdd<<<TPB, tiles>>>(out, (int)n, tileSum);
}
