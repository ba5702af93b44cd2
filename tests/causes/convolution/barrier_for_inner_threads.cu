// cause: divergent_barrier line 45 or 46
// task: conv2d_bytes
// The threads of the halo, and those beyond the edge of the image, leave after they have loaded their pixel and never come to the barrier.
#include "interface.cuh"

#define BLOCK 32   // a block is as large as the input tile, halo included

// bytes: every thread loads one pixel; the threads of the halo do nothing else
__global__ void conv_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                           int mask_width, int ghost, unsigned char *out)
{
    __shared__ unsigned char tile[BLOCK][BLOCK];
    int r = mask_width / 2;
    int tile_width = BLOCK - 2 * r;

    int x_out = blockIdx.x * tile_width + threadIdx.x - r;
    int y_out = blockIdx.y * tile_width + threadIdx.y - r;

    /* which pixel stands at (x, y)? */
    int x = x_out;
    int y = y_out;
    int inside = 1;
    if (ghost == 0) {
        inside = x >= 0 && x < width && y >= 0 && y < height;
    } else if (ghost == 1) {
        if (x < 0) x = 0;
        if (x >= width) x = width - 1;
        if (y < 0) y = 0;
        if (y >= height) y = height - 1;
    } else {
        while (x < 0 || x >= width) {
            if (x < 0) x = -1 - x;
            else x = 2 * width - 1 - x;
        }
        while (y < 0 || y >= height) {
            if (y < 0) y = -1 - y;
            else y = 2 * height - 1 - y;
        }
    }
    tile[threadIdx.y][threadIdx.x] = inside ? in[(size_t)y * width + x] : 0;

    int tx = (int)threadIdx.x - r;
    int ty = (int)threadIdx.y - r;
    int inner = tx >= 0 && tx < tile_width && ty >= 0 && ty < tile_width && x_out < width && y_out < height;
    if (!inner) return;
    __syncthreads();

    int sum = 0;
    for (int j = 0; j < mask_width; j++) {
        for (int k = 0; k < mask_width; k++) {
            sum += mask[j * mask_width + k] * tile[ty + j][tx + k];
        }
    }
    out[(size_t)y_out * width + x_out] = (unsigned char)sum;
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    // TODO
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    int tile_width = BLOCK - (mask_width - 1);
    dim3 block(BLOCK, BLOCK);
    dim3 grid((width + tile_width - 1) / tile_width, (height + tile_width - 1) / tile_width);
    conv_bytes<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost,
                       float *out)
{
    // TODO
}
