// cause: halo_missing line 53
// task: conv2d_float
// The tile gets its four sides but not its corners: outputs whose mask reaches diagonally out of the block take garbage.
// Convolution of images with a tile in shared memory. Block = output tile, 16 x 16.
#include "interface.cuh"

#define TILE 16
#define MAX_R 15
#define PITCH (TILE + 2 * MAX_R)

__constant__ float c_mask[(2 * MAX_R + 1) * (2 * MAX_R + 1)];

// Which index stands for k, if there are n? -1: none, take zero.
__device__ int resolve(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    switch (ghost) {
    case 1:
        return k < 0 ? 0 : n - 1;
    case 2: {
        int p = k % (2 * n);
        if (p < 0) p += 2 * n;
        return p < n ? p : 2 * n - 1 - p;
    }
    default:
        return -1;
    }
}

__global__ void conv_tiled(const float* in, int width, int height, int r, int ghost, float* out) {
    __shared__ float tile[PITCH][PITCH];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;

    // brings the pixel at (dx, dy) from the tile's origin; negative ones are the halo
    auto fetch = [&](int dx, int dy) {
        const int x = resolve(x0 + dx, width, ghost);
        const int y = resolve(y0 + dy, height, ghost);
        tile[r + dy][r + dx] = (x < 0 || y < 0) ? 0.0f : in[(long long)y * width + x];
    };

    const bool near_x = tx < r;
    const bool near_y = ty < r;

    fetch(tx, ty);
    if (near_x) {
        fetch(tx - r, ty);      // left
        fetch(tx + TILE, ty);   // right
    }
    if (near_y) {
        fetch(tx, ty - r);      // above
        fetch(tx, ty + TILE);   // below
    }
    __syncthreads();

    const int x = x0 + tx, y = y0 + ty;
    if (x >= width || y >= height) return;

    const int m = 2 * r + 1;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k) sum += c_mask[j * m + k] * tile[ty + j][tx + k];
    out[(long long)y * width + x] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(c_mask, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    conv_tiled<<<grid, block>>>(in, width, height, mask_width / 2, ghost, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}
void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {}
