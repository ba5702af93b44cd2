// cause: uninitialised_shared line 25
// task: sum
// The first warp adds up 32 slots of shared memory, but a block of 128 threads has only four warps and fills only four of them.
#include "interface.cuh"

#define THREADS 128
#define FULL 0xffffffffu

static __device__ double block_sum(double v) {
    __shared__ double warp_total[32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    // 1. every warp for itself
    for (int d = 16; d >= 1; d >>= 1)
        v += __shfl_xor_sync(FULL, v, d);

    // 2. the first lane of each warp leaves the total
    if (lane == 0)
        warp_total[warp] = v;
    __syncthreads();

    // 3. the first warp adds up the totals
    if (warp == 0) {
        v = warp_total[lane];
        for (int d = 16; d >= 1; d >>= 1)
            v += __shfl_xor_sync(FULL, v, d);
    }
    return v;  // only the first warp has it
}

static __global__ void sum_kernel(const double *in, size_t n, double *out) {
    double sum = 0;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

void reduce_sum(const double *in, size_t n, double *out) {
    const int max_blocks = 600;
    static double *partial = nullptr;
    if (!partial)
        cudaMalloc(&partial, max_blocks * sizeof(double));
    int blocks = max_blocks;
    if ((n + THREADS - 1) / THREADS < (size_t)blocks)
        blocks = (int)((n + THREADS - 1) / THREADS);
    if (blocks > 0)
        sum_kernel<<<blocks, THREADS>>>(in, n, partial);
    sum_kernel<<<1, THREADS>>>(partial, blocks, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
