// cause: transposed line 45
// task: conv2d_float
// The tile is stored with the row first and read with the column first, so that each tile is convolved with the mask transposed and lands transposed.
#include "interface.cuh"

enum { TILE = 16, SIDE = TILE + 30 };

__device__ int clampOrReflect(int k, int n, int ghost) {
    if (ghost == 1) return max(0, min(k, n - 1));
    int m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

__global__ void conv2d(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    __shared__ float tile[SIDE][SIDE + 1];  // + 1 against bank conflicts

    const int side = TILE + mask_width - 1;
    const int x0 = blockIdx.x * TILE - mask_width / 2;
    const int y0 = blockIdx.y * TILE - mask_width / 2;

    // all threads of the block go through the cells of the input tile together
    for (int c = threadIdx.y * TILE + threadIdx.x; c < side * side; c += TILE * TILE) {
        const int row = c / side, col = c % side;
        int y = y0 + row, x = x0 + col;
        float v = 0.0f;
        if (ghost != 0) {
            y = clampOrReflect(y, height, ghost);
            x = clampOrReflect(x, width, ghost);
        }
        if (y >= 0 && y < height && x >= 0 && x < width) v = in[(size_t)y * width + x];
        tile[row][col] = v;
    }
    __syncthreads();

    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height) return;

    float sum = 0.0f;
    for (int j = 0; j < mask_width; j++) {
        const float* m = mask + j * mask_width;
        for (int k = 0; k < mask_width; k++)
            sum += m[k] * tile[threadIdx.x + k][threadIdx.y + j];
    }
    out[(size_t)y * width + x] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    conv2d<<<grid, dim3(TILE, TILE)>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}
