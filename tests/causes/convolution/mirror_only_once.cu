// cause: ghost_policy line 17
// task: conv1d
// The index is reflected at an edge once only. A mask that reaches further than n elements beyond the edge leaves an index
// that is still outside, and the kernel reads out of bounds.
#include "interface.cuh"
#include <cuda_runtime.h>
#define TILE 512
#define MAX_CONST 1024

__constant__ float c_taps[MAX_CONST];

/* which element stands for k? -1 = none (zero) */
__device__ __forceinline__ int source_index(int k, int n, int ghost) {
    if (ghost == 0) return (k < 0 || k >= n) ? -1 : k;
    if (ghost == 1) return max(0, min(k, n - 1));
    /* mirror */
    if (k < 0 || k >= n) {
        k = k < 0 ? -1 - k : 2 * n - 1 - k;
    }
    return k;
}

template <bool CONST_MASK>
__global__ void conv1d_tiled(const float* __restrict__ in, int n, const float* __restrict__ mask,
                             int m, int ghost, float* __restrict__ out) {
    extern __shared__ float tile[];
    int base = blockIdx.x * TILE;
    int r = m / 2;
    for (int t = threadIdx.x; t < TILE + m - 1; t += blockDim.x) {
        if (base + t - r >= n + r) break;          /* nobody needs those */
        int s = source_index(base + t - r, n, ghost);
        tile[t] = s < 0 ? 0.f : in[s];
    }
    __syncthreads();

    /* two outputs per thread, half a tile apart */
    int a = threadIdx.x, b = threadIdx.x + TILE / 2;
    float sa = 0.f, sb = 0.f;
    bool do_a = base + a < n, do_b = base + b < n;
    for (int j = 0; j < m; ++j) {
        float w = CONST_MASK ? c_taps[j] : mask[j];
        if (do_a) sa += w * tile[a + j];
        if (do_b) sb += w * tile[b + j];
    }
    if (do_a) out[base + a] = sa;
    if (do_b) out[base + b] = sb;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    int blocks = (int)((n + TILE - 1) / TILE);
    size_t shared = (TILE + mask_width - 1) * sizeof(float);
    if (mask_width <= MAX_CONST) {
        cudaMemcpyToSymbol(c_taps, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv1d_tiled<true><<<blocks, TILE / 2, shared>>>(in, (int)n, mask, mask_width, ghost, out);
    } else {
        conv1d_tiled<false><<<blocks, TILE / 2, shared>>>(in, (int)n, mask, mask_width, ghost, out);
    }
}
