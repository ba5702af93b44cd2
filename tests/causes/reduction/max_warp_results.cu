// cause: wrong_identity line 30
// task: max
// Lanes of the first warp that have no warp result contribute 0, so arrays without a positive number give 0.
#include "interface.cuh"

#include <cfloat>
#include <cmath>

namespace {

constexpr int kThreads = 256;
constexpr int kWarps   = kThreads / 32;
constexpr unsigned kAll = 0xffffffffu;

__device__ float warpMax(float v)
{
    for (int d = 16; d; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(kAll, v, d));
    return v;
}

__device__ float blockMax(float v)
{
    __shared__ float perWarp[kWarps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warpMax(v);
    if (lane == 0) perWarp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < kWarps ? perWarp[lane] : 0.0f;
        v = warpMax(v);
    }
    return v;
}

// stage 1 leaves one maximum per block, stage 2 is a single block over those
__global__ void stage(const float* in, size_t n, float* out)
{
    float best = -INFINITY;
    size_t step = size_t(blockDim.x) * gridDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        best = fmaxf(best, in[i]);
    best = blockMax(best);
    if (threadIdx.x == 0) out[blockIdx.x] = best;
}

__device__ float partial[512];

}  // namespace

void reduce_max(const float* in, size_t n, float* out)
{
    float* p = nullptr;
    cudaGetSymbolAddress((void**)&p, partial);
    stage<<<512, kThreads>>>(in, n, p);
    stage<<<1, kThreads>>>(p, 512, out);
}
