// cause: wrong_shuffle_mask line 27 or 30
// task: sum
// The second shuffle names all 32 lanes although only eight of them come to it; shows in every call.
#include "interface.cuh"

#define BLOCK 256
#define WARPS (BLOCK / 32)
#define FULL 0xffffffffu

__global__ void reduce(const double *in, size_t n, double *out)
{
    __shared__ double part[WARPS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    double x = 0;
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += (size_t)BLOCK * gridDim.x)
        x += in[i];

    /* inside of the warp */
    for (int k = 16; k > 0; k >>= 1)
        x += __shfl_down_sync(FULL, x, k);
    if (lane == 0)
        part[warp] = x;
    __syncthreads();

    /* one value of each warp is left */
    if (threadIdx.x < WARPS) {
        x = part[lane];
        for (int k = WARPS / 2; k > 0; k >>= 1)
            x += __shfl_down_sync(FULL, x, k);
        if (lane == 0)
            out[blockIdx.x] = x;
    }
}

void reduce_sum(const double *in, size_t n, double *out)
{
    static double *tmp;
    unsigned grid = 640;

    if (tmp == NULL)
        cudaMalloc((void **)&tmp, grid * sizeof(double));
    if (n < (size_t)grid * BLOCK)
        grid = (unsigned)((n + BLOCK - 1) / BLOCK);
    if (grid == 0)
        grid = 1;
    reduce<<<grid, BLOCK>>>(in, n, tmp);
    reduce<<<1, BLOCK>>>(tmp, grid, out);
}
