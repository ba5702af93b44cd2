// cause: uninitialised_shared line 27
// task: max
// The first warp reads 32 slots of which the block has set only its four; shows in every call as a read of unwritten memory, and as a too large maximum where the garbage is large.
#include "interface.cuh"

#include <cmath>

__inline__ __device__ float warpMax(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_down_sync(0xffffffff, v, offset));
    return v;
}

// works for any block size that is a multiple of 32, up to 1024
__inline__ __device__ float blockMax(float v)
{
    static __shared__ float shared[32];
    int lane = threadIdx.x % 32;
    int wid = threadIdx.x / 32;

    v = warpMax(v);
    if (lane == 0) shared[wid] = v;
    __syncthreads();

    if (wid == 0) {
        v = shared[lane];
        v = warpMax(v);
    }
    return v;
}

__global__ void maxStage(const float* in, size_t n, float* out)
{
    float v = -INFINITY;
    size_t vectors = n / 4;
    size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;

    const float4* in4 = (const float4*)in;
    for (size_t i = first; i < vectors; i += all) {
        float4 q = in4[i];
        v = fmaxf(v, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
    }
    // the rest
    for (size_t i = 4 * vectors + first; i < n; i += all)
        v = fmaxf(v, in[i]);

    v = blockMax(v);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void reduce_max(const float* in, size_t n, float* out)
{
    const int threads = 128;
    const int blocks = 512;
    static float* blockResults = 0;
    if (!blockResults) cudaMalloc(&blockResults, blocks * sizeof(float));

    maxStage<<<blocks, threads>>>(in, n, blockResults);
    maxStage<<<1, threads>>>(blockResults, blocks, out);
}
