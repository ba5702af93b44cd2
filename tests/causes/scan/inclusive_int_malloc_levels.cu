// cause: use_after_free line 57
// task: inclusive_int
// The array of the block sums is freed before the kernel that adds them is launched.
#include "interface.cuh"

#define BLOCK_SIZE 512
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

__global__ void brent_kung(const int *x, int *y, int *s, size_t len)
{
    __shared__ int xy[BLOCK_SIZE];
    size_t i = blockIdx.x * (size_t)BLOCK_SIZE + threadIdx.x;
    xy[threadIdx.x] = (i < len) ? x[i] : 0;

    for (unsigned stride = 1; stride < BLOCK_SIZE; stride *= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < BLOCK_SIZE)
            xy[index] += xy[index - stride];
    }
    for (unsigned stride = BLOCK_SIZE / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index + stride < BLOCK_SIZE)
            xy[index + stride] += xy[index];
    }
    __syncthreads();

    if (i < len)
        y[i] = xy[threadIdx.x];
    if (s != NULL && threadIdx.x == 0)
        s[blockIdx.x] = xy[BLOCK_SIZE - 1];
}

__global__ void add_sums(int *y, const int *s, size_t len)
{
    size_t i = (blockIdx.x + 1) * (size_t)BLOCK_SIZE + threadIdx.x;
    if (i < len)
        y[i] += s[blockIdx.x];
}

static void scan(const int *x, int *y, size_t len)
{
    size_t blocks = DIV_UP(len, BLOCK_SIZE);
    if (blocks == 1) {
        brent_kung<<<1, BLOCK_SIZE>>>(x, y, NULL, len);
        return;
    }

    int *sums, *scanned;
    cudaMalloc((void **)&sums, blocks * sizeof(int));
    cudaMalloc((void **)&scanned, blocks * sizeof(int));

    brent_kung<<<blocks, BLOCK_SIZE>>>(x, y, sums, len);
    scan(sums, scanned, blocks);
    cudaFree(sums);
    cudaFree(scanned);
    add_sums<<<blocks - 1, BLOCK_SIZE>>>(y, scanned, len);
}

void scan_inclusive_int(const int *in, size_t n, int *out)
{
    scan(in, out, n);
}
