// cause: halo_missing line 46 or 48
// task: conv2d_float
// The corners of the tile's halo are not loaded; shows for every mask of more than one tap.
#include "interface.cuh"

#define TILE 16
#define RMAX 15
#define SIDE (TILE + 2 * RMAX)

__constant__ float d_mask[31 * 31];

__device__ float pixel(const float *img, int x, int y, int w, int h, int ghost)
{
    if (x < 0 || x >= w || y < 0 || y >= h) {
        if (ghost == 0)
            return 0.0f;
        if (ghost == 1) {
            x = min(max(x, 0), w - 1);
            y = min(max(y, 0), h - 1);
        } else {
            x = ((x % (2 * w)) + 2 * w) % (2 * w);
            y = ((y % (2 * h)) + 2 * h) % (2 * h);
            if (x >= w) x = 2 * w - 1 - x;
            if (y >= h) y = 2 * h - 1 - y;
        }
    }
    return img[(size_t)y * w + x];
}

__global__ void conv_tiled(const float *img, int w, int h, int m, int ghost, float *out)
{
    __shared__ float s[SIDE][SIDE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    int r = m / 2;

    /* centre */
    s[ty + r][tx + r] = pixel(img, x, y, w, h, ghost);

    /* left and right */
    if (tx < r) {
        s[ty + r][tx] = pixel(img, x - r, y, w, h, ghost);
        s[ty + r][tx + TILE + r] = pixel(img, x + TILE, y, w, h, ghost);
    }
    /* above and below */
    if (ty < r) {
        s[ty][tx + r] = pixel(img, x, y - r, w, h, ghost);
        s[ty + TILE + r][tx + r] = pixel(img, x, y + TILE, w, h, ghost);
    }
    __syncthreads();

    if (x < w && y < h) {
        float sum = 0.0f;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                sum += d_mask[j * m + k] * s[ty + j][tx + k];
        out[(size_t)y * w + x] = sum;
    }
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost,
                       float *out)
{
    dim3 b(TILE, TILE);
    dim3 g((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);

    cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    conv_tiled<<<g, b>>>(in, width, height, mask_width, ghost, out);
}
