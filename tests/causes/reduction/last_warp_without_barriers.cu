// cause: missing_warp_sync line 11 or 12
// task: sum
// In the last warp nothing makes the lanes wait for each other, so that a lane may read what another has yet to add up.
#include "interface.cuh"

const unsigned int BLOCK = 256;

// The last warp needs no __syncthreads: its lanes go in step.
__device__ void warpReduce(double* sdata, unsigned int tid) {
    for (unsigned int s = 32; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
    }
}

__global__ void reduceKernel(const double* g_idata, double* g_odata, std::size_t n) {
    __shared__ double sdata[BLOCK];

    unsigned int tid = threadIdx.x;
    std::size_t gridSize = (std::size_t)BLOCK * gridDim.x;

    double mySum = 0;
    for (std::size_t i = (std::size_t)blockIdx.x * BLOCK + tid; i < n; i += gridSize)
        mySum += g_idata[i];
    sdata[tid] = mySum;
    __syncthreads();

    // do reduction in shared mem
    if (BLOCK >= 512) {
        if (tid < 256) sdata[tid] += sdata[tid + 256];
        __syncthreads();
    }
    if (BLOCK >= 256) {
        if (tid < 128) sdata[tid] += sdata[tid + 128];
        __syncthreads();
    }
    if (BLOCK >= 128) {
        if (tid < 64) sdata[tid] += sdata[tid + 64];
        __syncthreads();
    }
    if (tid < 32) warpReduce(sdata, tid);

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static double* partial = nullptr;
    const unsigned int maxBlocks = 512;
    if (partial == nullptr) cudaMalloc((void**)&partial, maxBlocks * sizeof(double));

    std::size_t needed = (n + BLOCK - 1) / BLOCK;
    if (needed < 1) needed = 1;
    unsigned int blocks = needed < maxBlocks ? (unsigned int)needed : maxBlocks;
    reduceKernel<<<blocks, BLOCK>>>(in, partial, n);
    reduceKernel<<<1, BLOCK>>>(partial, out, blocks);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
