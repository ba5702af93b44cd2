// cause: array_too_small line 15
// task: conv2d_float
// The tile in shared memory has room for the largest radius, 15, once per direction and not on both sides: masks of more
// than 16 taps are loaded beyond the ends of its rows and of the array.
#include "interface.cuh"

#define TILE 16
#define MAX_MASK 31
#define MAX_RADIUS (MAX_MASK / 2)

__constant__ float M[MAX_MASK * MAX_MASK];

__global__ void conv2DShared(const float* in, int width, int height, int maskWidth, int ghost, float* out)
{
    __shared__ float N_ds[TILE + MAX_RADIUS][TILE + MAX_RADIUS];

    const int radius = maskWidth / 2;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int w = TILE + 2 * radius;

    // loading in batches of TILE * TILE
    for (int dest = threadIdx.y * TILE + threadIdx.x; dest < w * w; dest += TILE * TILE) {
        int destY = dest / w, destX = dest % w;
        int srcY = (int)blockIdx.y * TILE + destY - radius;
        int srcX = (int)blockIdx.x * TILE + destX - radius;
        float value = 0.0f;
        if (ghost == 1) {
            srcY = srcY < 0 ? 0 : srcY >= height ? height - 1 : srcY;
            srcX = srcX < 0 ? 0 : srcX >= width ? width - 1 : srcX;
        } else if (ghost == 2) {
            while (srcY < 0 || srcY >= height) {
                if (srcY < 0) srcY = -1 - srcY;
                else srcY = 2 * height - 1 - srcY;
            }
            while (srcX < 0 || srcX >= width) {
                if (srcX < 0) srcX = -1 - srcX;
                else srcX = 2 * width - 1 - srcX;
            }
        }
        if (srcY >= 0 && srcY < height && srcX >= 0 && srcX < width)
            value = in[srcY * width + srcX];
        N_ds[destY][destX] = value;
    }
    __syncthreads();

    if (row < height && col < width) {
        float accum = 0.0f;
        for (int y = 0; y < maskWidth; y++)
            for (int x = 0; x < maskWidth; x++)
                accum += N_ds[threadIdx.y + y][threadIdx.x + x] * M[y * maskWidth + x];
        out[row * width + col] = accum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost, float* out)
{
    cudaMemcpyToSymbol(M, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 dimBlock(TILE, TILE, 1);
    dim3 dimGrid((width - 1) / TILE + 1, (height - 1) / TILE + 1, 1);
    conv2DShared<<<dimGrid, dimBlock>>>(in, width, height, mask_width, ghost, out);
}
