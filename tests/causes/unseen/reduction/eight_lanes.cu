// cause: wrong_shuffle_mask line 35
// task: sum
// In the last step only eight lanes shuffle, but the mask names all 32 lanes of the warp.
#include "interface.cuh"

static const int kThreads = 256;
static const int kWarps = kThreads / 32;

__global__ void sum_partial(const double2* __restrict__ pairs, size_t n, double* __restrict__ partial)
{
    __shared__ double warp_sums[kWarps];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    double a = 0.0, b = 0.0;
    const size_t count = n >> 1;
    for (size_t i = (size_t)blockIdx.x * kThreads + threadIdx.x; i < count; i += (size_t)gridDim.x * kThreads) {
        const double2 p = pairs[i];
        a += p.x;
        b += p.y;
    }
    double v = a + b;
    if ((n & 1) && blockIdx.x == 0 && threadIdx.x == 0)
        v += reinterpret_cast<const double*>(pairs)[n - 1];

    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0)
        warp_sums[warp] = v;
    __syncthreads();

    if (threadIdx.x < kWarps) {
        double w = warp_sums[threadIdx.x];
        for (int d = kWarps / 2; d; d >>= 1)
            w += __shfl_down_sync(0xffffffffu, w, d);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = w;
    }
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    const int grid = 264;
    static double* partial = NULL;
    if (partial == NULL)
        cudaMalloc(&partial, grid * sizeof(double));
    sum_partial<<<grid, kThreads>>>((const double2*)in, n, partial);
    sum_partial<<<1, kThreads>>>((const double2*)partial, grid, out);
}
