// cause: saturated line 28
// task: conv2d_bytes
// sums above 255 become 255 as in image programs, where the result should be taken modulo 256
#include "interface.cuh"

typedef unsigned char uchar;

#define TILE_W 32
#define TILE_H 8
#define MAX_MASK 31
#define HALO (MAX_MASK - 1)

__constant__ uchar d_mask[MAX_MASK * MAX_MASK];

// Index of the pixel that stands for position p in a line of len pixels, -1: black
__device__ int ghost_index(int p, int len, int ghost)
{
    if (p >= 0 && p < len) return p;
    if (ghost == 0) return -1;
    if (ghost == 1) return min(max(p, 0), len - 1);
    const int period = 2 * len;
    p = ((p % period) + period) % period;
    return p < len ? p : period - 1 - p;
}

__device__ uchar to_pixel(int v)
{
    return (uchar)min(v, 255);
}

__global__ void conv_bytes(const uchar *in, int width, int height, int mask_width, int ghost,
                           uchar *out)
{
    __shared__ uchar tile[TILE_H + HALO][TILE_W + HALO];

    const int r = mask_width / 2;
    const int x0 = blockIdx.x * TILE_W - r;   // corner of the input tile
    const int y0 = blockIdx.y * TILE_H - r;
    const int tw = TILE_W + 2 * r;
    const int th = TILE_H + 2 * r;

    // The block is smaller than the input tile: go over it in steps of a block.
    for (int ty = threadIdx.y; ty < th; ty += TILE_H) {
        const int row = ghost_index(y0 + ty, height, ghost);
        for (int tx = threadIdx.x; tx < tw; tx += TILE_W) {
            const int col = ghost_index(x0 + tx, width, ghost);
            tile[ty][tx] = (row < 0 || col < 0) ? 0 : in[(size_t)row * width + col];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * TILE_W + threadIdx.x;
    const int y = blockIdx.y * TILE_H + threadIdx.y;
    if (x >= width || y >= height) return;

    // at most 31 * 31 * 255 * 255, that fits in an int
    int sum = 0;
    for (int j = 0; j < mask_width; j++)
        for (int k = 0; k < mask_width; k++)
            sum += d_mask[j * mask_width + k] * tile[threadIdx.y + j][threadIdx.x + k];

    out[(size_t)y * width + x] = to_pixel(sum);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);

    dim3 block(TILE_W, TILE_H);
    dim3 grid((width + TILE_W - 1) / TILE_W, (height + TILE_H - 1) / TILE_H);
    conv_bytes<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
