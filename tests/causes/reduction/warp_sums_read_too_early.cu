// cause: missing_barrier line 21 or 22
// task: sum
// There is no __syncthreads() between the store of the warps' sums and the first warp's read of them: the first warp may add up slots that the others have not written yet.
#include "interface.cuh"

#define BLOCK_SIZE 256
#define MAX_BLOCKS 1024

__inline__ __device__ double warpSum(double v) {
    for (int off = 16; off > 0; off >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

__inline__ __device__ double blockSum(double v) {
    __shared__ double partial[BLOCK_SIZE / 32];
    int lane = threadIdx.x % 32;
    int wid = threadIdx.x / 32;

    v = warpSum(v);
    if (lane == 0) partial[wid] = v;

    v = (threadIdx.x < BLOCK_SIZE / 32) ? partial[lane] : 0.0;
    if (wid == 0) v = warpSum(v);
    return v;
}

__global__ void sumKernel(const double* __restrict__ in, size_t n, double* out) {
    double acc = 0.0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
        acc += in[i];
    acc = blockSum(acc);
    if (threadIdx.x == 0) atomicAdd(out, acc);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof(double));
    if (n == 0) return;
    size_t blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    sumKernel<<<(unsigned)blocks, BLOCK_SIZE>>>(in, n, out);
}
