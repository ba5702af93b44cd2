// cause: halo_missing line 54 or 55
// task: conv2d_bytes
// Centre and the four sides of the tile are loaded but not the four corners of its halo; shows for every mask wider than 1.
#include "interface.cuh"

#define TILE 16
#define R_MAX 15

__device__ int clampIndex(int k, int n) { return k < 0 ? 0 : (k >= n ? n - 1 : k); }

__device__ int mirrorIndex(int k, int n) {
    int p = 2 * n;
    int m = ((k % p) + p) % p;
    return m < n ? m : p - 1 - m;
}

// value of the pixel (y, x), which may be outside of the image
__device__ unsigned char pixel(const unsigned char* in, int width, int height, int ghost, int y,
                               int x) {
    if (ghost == 1) {
        x = clampIndex(x, width);
        y = clampIndex(y, height);
    } else if (ghost == 2) {
        x = mirrorIndex(x, width);
        y = mirrorIndex(y, height);
    } else if (x < 0 || x >= width || y < 0 || y >= height) {
        return 0;
    }
    return in[y * width + x];
}

#define PIXEL(dy, dx) pixel(in, width, height, ghost, y + (dy), x + (dx))

__global__ void convBytes(const unsigned char* in, int width, int height,
                          const unsigned char* mask, int mask_width, int ghost,
                          unsigned char* out) {
    __shared__ unsigned char tile[TILE + 2 * R_MAX][TILE + 2 * R_MAX];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    int r = mask_width / 2;

    // my own pixel
    tile[ty + r][tx + r] = PIXEL(0, 0);
    // left and right
    if (tx < r) {
        tile[ty + r][tx] = PIXEL(0, -r);
        tile[ty + r][tx + r + TILE] = PIXEL(0, TILE);
    }
    // above and below
    if (ty < r) {
        tile[ty][tx + r] = PIXEL(-r, 0);
        tile[ty + r + TILE][tx + r] = PIXEL(TILE, 0);
    }
    __syncthreads();

    if (x < width && y < height) {
        unsigned int sum = 0;
        for (int j = 0; j < mask_width; j++)
            for (int k = 0; k < mask_width; k++)
                sum += (unsigned int)mask[j * mask_width + k] * tile[ty + j][tx + k];
        out[y * width + x] = sum % 256;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    convBytes<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
