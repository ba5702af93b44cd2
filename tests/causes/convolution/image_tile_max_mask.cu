// cause: array_too_small line 21
// task: conv2d_float
// The tile has room for one halo of 15 elements per direction where there is one on either side; masks wider than 16 run over its rows.
#include "interface.cuh"

#define TILE 16
#define MAX_MASK 31

__device__ int source(int k, int n, int ghost) {
    if (0 <= k && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return min(max(k, 0), n - 1);
    int period = 2 * n;
    k = ((k % period) + period) % period;
    if (k >= n) k = period - 1 - k;
    return k;
}

__global__ void conv2d(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    __shared__ float tile[TILE + MAX_MASK / 2][TILE + MAX_MASK / 2];

    const int r = mask_width / 2;
    const int x0 = blockIdx.x * TILE;
    const int y0 = blockIdx.y * TILE;
    const int size = TILE + mask_width - 1;

    // load the tile with its halo
    for (int ty = threadIdx.y; ty < size; ty += TILE) {
        for (int tx = threadIdx.x; tx < size; tx += TILE) {
            int y = source(y0 - r + ty, height, ghost);
            int x = source(x0 - r + tx, width, ghost);
            tile[ty][tx] = (x < 0 || y < 0) ? 0.0f : in[(size_t)y * width + x];
        }
    }
    __syncthreads();

    // compute
    const int x = x0 + threadIdx.x;
    const int y = y0 + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; j++)
            for (int k = 0; k < mask_width; k++)
                sum += mask[j * mask_width + k] * tile[threadIdx.y + j][threadIdx.x + k];
        out[(size_t)y * width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    conv2d<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}
