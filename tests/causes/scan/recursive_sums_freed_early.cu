// cause: use_after_free line 55
// task: inclusive_int
// The scanned sums of the blocks are freed before the kernel that adds them is launched; shows from two blocks on.
#include "interface.cuh"

#define SIZE 512

// Kogge-Stone with two buffers
__global__ void scan_blocks(const int* in, size_t n, int* out, int* sums)
{
    __shared__ int temp[2][SIZE];
    size_t i = (size_t)blockIdx.x * SIZE + threadIdx.x;
    int t = threadIdx.x;
    int from = 0;

    temp[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < SIZE; d *= 2) {
        int to = 1 - from;
        temp[to][t] = temp[from][t];
        if (t >= d)
            temp[to][t] += temp[from][t - d];
        from = to;
        __syncthreads();
    }
    if (i < n)
        out[i] = temp[from][t];
    if (t == SIZE - 1 && sums != NULL)
        sums[blockIdx.x] = temp[from][t];
}

__global__ void add_sums(int* out, size_t n, const int* scanned)
{
    size_t i = (size_t)blockIdx.x * SIZE + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += scanned[blockIdx.x - 1];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    size_t blocks = (n + SIZE - 1) / SIZE;
    if (blocks == 1) {
        scan_blocks<<<1, SIZE>>>(in, n, out, NULL);
        return;
    }

    int *sums, *scanned;
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMalloc(&scanned, blocks * sizeof(int));

    // scan each block, scan the sums of the blocks, add them
    scan_blocks<<<blocks, SIZE>>>(in, n, out, sums);
    scan_inclusive_int(sums, blocks, scanned);
    cudaFree(sums);
    cudaFree(scanned);
    add_sums<<<blocks, SIZE>>>(out, n, scanned);
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/)
{
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/)
{
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/)
{
}
