// cause: halo_missing or uninitialised_shared line 35
// task: conv1d
// Every thread loads one element of the tile and at most one of the halo, which does for masks of up to 257 taps; with a
// wider mask the halo has more elements than the block has threads and the end of the tile is never loaded.
#include "interface.cuh"

static const int TILE = 256;

__device__ int clampIndex(int k, int n) { return k < 0 ? 0 : (k >= n ? n - 1 : k); }

__device__ float ghostCell(const float* in, int n, int k, int ghost) {
    switch (ghost) {
        case 0:
            return (k < 0 || k >= n) ? 0.f : in[k];
        case 1:
            return in[clampIndex(k, n)];
        default:
            while (k < 0 || k >= n) k = k < 0 ? -1 - k : 2 * n - 1 - k;
            return in[k];
    }
}

/* tile[0 .. TILE + width - 2]: the block's inputs and the halo; behind it the mask */
__global__ void convTile(const float* in, int n, const float* mask, int width, int ghost, float* out) {
    extern __shared__ float tile[];
    float* taps = tile + TILE + width - 1;
    const int r = width / 2;
    const int start = blockIdx.x * TILE;
    const int t = threadIdx.x;

    for (int j = t; j < width; j += TILE) taps[j] = mask[j];

    // the first TILE elements, then the rest of the halo
    tile[t] = ghostCell(in, n, start - r + t, ghost);
    if (t < width - 1) tile[TILE + t] = ghostCell(in, n, start - r + TILE + t, ghost);
    __syncthreads();

    if (start + t < n) {
        float acc = 0.f;
        for (int j = 0; j < width; j++) acc = fmaf(taps[j], tile[t + j], acc);
        out[start + t] = acc;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
    int blocks = ((int)n + TILE - 1) / TILE;
    size_t bytes = (TILE + 2 * mask_width - 1) * sizeof(float);
    convTile<<<blocks, TILE, bytes>>>(in, (int)n, mask, mask_width, ghost, out);
}
