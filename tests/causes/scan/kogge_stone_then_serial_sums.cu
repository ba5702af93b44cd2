// cause: unsigned_index line 26
// task: exclusive_int
// tid and d are unsigned, so tid - d is never below 0 and the condition always holds; shows with every n.
#include "interface.cuh"

#define BLOCK 256u

void scan_inclusive_int(const int*, std::size_t, int*) {}

// Step 1: every block scans its 256 elements
__global__ void scan_block(const int* in, size_t n, int* out, int* block_sum)
{
    __shared__ int data[BLOCK];
    unsigned int tid = threadIdx.x;
    size_t gid = (size_t)blockIdx.x * BLOCK + tid;

    if (gid < n)
        data[tid] = in[gid];
    else
        data[tid] = 0;
    __syncthreads();

    for (unsigned int d = 1; d < BLOCK; d = d * 2)
    {
        int value = data[tid];
        if (tid - d >= 0)
            value = value + data[tid - d];
        __syncthreads();
        data[tid] = value;
        __syncthreads();
    }

    // exclusive: the result of the thread to the left
    if (gid < n)
    {
        if (tid == 0)
            out[gid] = 0;
        else
            out[gid] = data[tid - 1];
    }

    if (tid == BLOCK - 1)
        block_sum[blockIdx.x] = data[tid];
}

// Step 2: one thread makes an exclusive scan of the block sums. There are only few of them.
__global__ void scan_sums(int* block_sum, int blocks)
{
    int running = 0;
    for (int b = 0; b < blocks; b++)
    {
        int s = block_sum[b];
        block_sum[b] = running;
        running = running + s;
    }
}

// Step 3: every block adds what came before it
__global__ void add_sums(int* out, size_t n, const int* block_sum)
{
    size_t gid = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (gid < n)
        out[gid] = out[gid] + block_sum[blockIdx.x];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    static int* block_sum = NULL;
    static int capacity = 0;
    int blocks = (int)((n + BLOCK - 1) / BLOCK);
    if (blocks > capacity)
    {
        cudaFree(block_sum);
        cudaMalloc(&block_sum, blocks * sizeof(int));
        capacity = blocks;
    }
    scan_block<<<blocks, BLOCK>>>(in, n, out, block_sum);
    scan_sums<<<1, 1>>>(block_sum, blocks);
    add_sums<<<blocks, BLOCK>>>(out, n, block_sum);
}

void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
