// cause: launch_refused line 7 or 45
// task: nested
// The child asks for more than 48 KB of dynamic shared memory, so its launch is refused and the output stays unwritten; shows with more than 6144 blocks, that is from about 197,000 elements on.
#include "interface.cuh"

#define NT 32
#define MAX_BLOCKS 32768

__device__ long long g_block_sums[MAX_BLOCKS];

__device__ long long warp_reduce(long long v)
{
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

// one block: fetch all block sums, then fold them until one is left
__global__ void finish(int count, long long *out)
{
    extern __shared__ long long stage[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) stage[i] = g_block_sums[i];
    __syncthreads();

    while (count > 1) {
        int upper = (count + 1) / 2;
        for (int i = threadIdx.x; i + upper < count; i += blockDim.x) stage[i] += stage[i + upper];
        __syncthreads();
        count = upper;
    }
    if (threadIdx.x == 0) *out = stage[0];
}

__global__ void start(const int *in, size_t n, long long *out)
{
    long long v = 0;
    size_t i = (size_t)blockIdx.x * NT + threadIdx.x;
    while (i < n) {
        v += in[i];
        i += (size_t)gridDim.x * NT;
    }
    v = warp_reduce(v);
    if (threadIdx.x == 0) {
        g_block_sums[blockIdx.x] = v;
        if (blockIdx.x == 0)
            finish<<<1, 512, gridDim.x * sizeof(long long), cudaStreamTailLaunch>>>(gridDim.x, out);
    }
}

void reduce_nested(const int *in, size_t n, long long *out)
{
    size_t nb = n ? (n - 1) / NT + 1 : 1;
    if (nb > MAX_BLOCKS) nb = MAX_BLOCKS;
    start<<<(unsigned)nb, NT>>>(in, n, out);
}
