// cause: divergent_barrier line 27
// task: max
// The loop over tiles ends for each thread by its own index, and there are barriers in it; in the last, partial tile some threads of the block are already out of the loop.
#include "interface.cuh"

#include <math_constants.h>

namespace {

template <int N>
__device__ float tree_max(volatile float (&v)[N], int t)
{
    for (int s = N / 2; s >= 1; s /= 2) {
        if (t < s && v[t + s] > v[t]) v[t] = v[t + s];
        __syncthreads();
    }
    return v[0];
}

template <int N>
__global__ void max_of_tiles(const float* in, std::size_t n, float* best)
{
    __shared__ float v[N];
    const int t = threadIdx.x;
    float running = -CUDART_INF_F;

    for (std::size_t i = std::size_t(blockIdx.x) * N + t; i < n; i += std::size_t(gridDim.x) * N) {
        v[t] = in[i];
        __syncthreads();
        const float tile = tree_max(v, t);
        if (tile > running) running = tile;
        __syncthreads();
    }
    if (t == 0) best[blockIdx.x] = running;
}

}  // namespace

void reduce_max(const float* in, std::size_t n, float* out)
{
    static float* best = nullptr;
    if (!best) cudaMalloc(&best, 128 * sizeof(float));
    max_of_tiles<256><<<128, 256>>>(in, n, best);
    max_of_tiles<128><<<1, 128>>>(best, 128, out);
}
