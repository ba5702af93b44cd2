// cause: halo_missing line 50
// task: conv2d_float
// The four sides of the halo are loaded but not its four corners, which the first and last threads of a tile need; shows for every mask wider than 1.
#include "interface.cuh"

#define TILE 16
#define MAXR 15
#define SIDE (TILE + 2 * MAXR)

__device__ int resolve(int k, int n, int ghost)
{
    if (ghost == 0) return (k < 0 || k >= n) ? -1 : k;
    if (ghost == 1) return k < 0 ? 0 : (k >= n ? n - 1 : k);
    k = k % (2 * n);
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__device__ float fetch(const float* in, int w, int h, int x, int y, int ghost)
{
    const int cx = resolve(x, w, ghost);
    const int cy = resolve(y, h, ghost);
    return (cx < 0 || cy < 0) ? 0.0f : in[(size_t)cy * w + cx];
}

__global__ void conv2d(const float* in, int w, int h, const float* mask, int mw, int ghost, float* out)
{
    __shared__ float s[SIDE][SIDE];
    __shared__ float sm[31 * 31];

    const int r = mw / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;

    for (int k = ty * TILE + tx; k < mw * mw; k += TILE * TILE)
        sm[k] = mask[k];

    // center
    s[ty + r][tx + r] = fetch(in, w, h, x, y, ghost);
    // left and right
    if (tx < r) {
        s[ty + r][tx] = fetch(in, w, h, x - r, y, ghost);
        s[ty + r][tx + r + TILE] = fetch(in, w, h, x + TILE, y, ghost);
    }
    // top and bottom
    if (ty < r) {
        s[ty][tx + r] = fetch(in, w, h, x, y - r, ghost);
        s[ty + r + TILE][tx + r] = fetch(in, w, h, x, y + TILE, ghost);
    }
    __syncthreads();

    if (x < w && y < h) {
        float acc = 0.0f;
        for (int j = 0; j < mw; ++j)
            for (int k = 0; k < mw; ++k)
                acc = fmaf(sm[j * mw + k], s[ty + j][tx + k], acc);
        out[(size_t)y * w + x] = acc;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost, float* out)
{
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    conv2d<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}
