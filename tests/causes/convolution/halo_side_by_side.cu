// cause: halo_missing line 60 or 61
// task: conv2d_float
// The four corners of the halo are never loaded into the tile, which is wrong for all masks wider than 1.
#include "interface.cuh"

#define T 16               // the block makes T x T pixels
#define R 15               // largest radius
#define S (T + 2 * R)

// The value at row y and column x, with ghost cells
__device__ float value(const float* in, int width, int height, int y, int x, int ghost)
{
    if (ghost == 0) {
        if (x < 0 || x >= width || y < 0 || y >= height)
            return 0.0f;
    }
    else if (ghost == 1) {
        x = min(max(x, 0), width - 1);
        y = min(max(y, 0), height - 1);
    }
    else {
        while (x < 0 || x >= width) {
            if (x < 0)
                x = -x - 1;
            else
                x = 2 * width - 1 - x;
        }
        while (y < 0 || y >= height) {
            if (y < 0)
                y = -y - 1;
            else
                y = 2 * height - 1 - y;
        }
    }
    return in[(size_t)y * width + x];
}

__global__ void conv2d_tiled(const float* in, int width, int height, const float* mask,
                             int mask_width, int ghost, float* out)
{
    __shared__ float tile[S][S];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * T + tx;
    int y = blockIdx.y * T + ty;
    int r = mask_width / 2;

    // my own pixel
    tile[ty + r][tx + r] = value(in, width, height, y, x, ghost);
    // left and right of the tile
    if (tx < r) {
        tile[ty + r][tx] = value(in, width, height, y, x - r, ghost);
        tile[ty + r][tx + r + T] = value(in, width, height, y, x + T, ghost);
    }
    // above and below the tile
    if (ty < r) {
        tile[ty][tx + r] = value(in, width, height, y - r, x, ghost);
        tile[ty + r + T][tx + r] = value(in, width, height, y + T, x, ghost);
    }
    __syncthreads();

    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; j++) {
            for (int k = 0; k < mask_width; k++) {
                sum += mask[j * mask_width + k] * tile[ty + j][tx + k];
            }
        }
        out[(size_t)y * width + x] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    dim3 threads(T, T);
    dim3 blocks((width + T - 1) / T, (height + T - 1) / T);
    conv2d_tiled<<<blocks, threads>>>(in, width, height, mask, mask_width, ghost, out);
}
