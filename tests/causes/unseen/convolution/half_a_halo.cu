// cause: array_too_small line 33
// task: conv2d_bytes
// The tile has room for the halo on one side only; shows for masks of more than 16 taps across.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define MAX_RADIUS 15
#define TILE_W 32
#define TILE_H 16

__constant__ unsigned char kernelWeights[(2 * MAX_RADIUS + 1) * (2 * MAX_RADIUS + 1)];

// -1: there is no such pixel
__device__ int resolve(int k, int n, int ghost)
{
    if (0 <= k && k < n) return k;
    switch (ghost) {
        case 1: return k < 0 ? 0 : n - 1;
        case 2: {
            const int phase = (k % (2 * n) + 2 * n) % (2 * n);
            return min(phase, 2 * n - 1 - phase);
        }
    }
    return -1;
}

__global__ void convolveTile(const unsigned char* __restrict__ src, unsigned char* __restrict__ dst,
                             int width, int height, int radius, int ghost)
{
    __shared__ unsigned char tile[TILE_H + MAX_RADIUS][TILE_W + MAX_RADIUS];

    cg::thread_block cta = cg::this_thread_block();
    const int baseX = blockIdx.x * TILE_W - radius;
    const int baseY = blockIdx.y * TILE_H - radius;

    for (int ly = threadIdx.y; ly < TILE_H + 2 * radius; ly += blockDim.y) {
        const int sy = resolve(baseY + ly, height, ghost);
        for (int lx = threadIdx.x; lx < TILE_W + 2 * radius; lx += blockDim.x) {
            const int sx = resolve(baseX + lx, width, ghost);
            tile[ly][lx] = (sx | sy) < 0 ? 0 : src[sy * width + sx];
        }
    }
    cg::sync(cta);

    const int x = blockIdx.x * TILE_W + threadIdx.x;
    if (x >= width) return;

    // two rows per thread
    for (int ly = threadIdx.y; ly < TILE_H; ly += blockDim.y) {
        const int y = blockIdx.y * TILE_H + ly;
        if (y >= height) break;
        const unsigned char* w = kernelWeights;
        int sum = 0;
        for (int dy = 0; dy <= 2 * radius; ++dy)
            for (int dx = 0; dx <= 2 * radius; ++dx)
                sum += *w++ * tile[ly + dy][threadIdx.x + dx];
        dst[y * width + x] = sum & 0xff;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    cudaMemcpyToSymbol(kernelWeights, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 block(TILE_W, TILE_H / 2);
    dim3 grid((width + TILE_W - 1) / TILE_W, (height + TILE_H - 1) / TILE_H);
    convolveTile<<<grid, block>>>(in, out, width, height, mask_width / 2, ghost);
}
