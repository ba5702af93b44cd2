// cause: accumulator_too_narrow line 42
// task: conv2d_bytes
// The sum of products is kept in a float, which is exact up to 2^24 only: large masks with large values lose the last bits,
// and these are the result modulo 256.
#include "interface.cuh"

const int TILE_W = 32;
const int TILE_H = 8;

__constant__ unsigned char d_mask[31 * 31];

// returns -1 where a zero stands
__device__ int resolve(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    int period = 2 * n;
    k %= period;
    if (k < 0) k += period;
    return k < n ? k : period - 1 - k;
}

template <typename Pixel>
__global__ void blur(const Pixel* in, int width, int height, int m, int ghost, Pixel* out) {
    __shared__ Pixel tile[TILE_H + 30][TILE_W + 30];
    int r = m / 2;
    int x0 = blockIdx.x * TILE_W;
    int y0 = blockIdx.y * TILE_H;

    for (int ty = threadIdx.y; ty < TILE_H + m - 1; ty += TILE_H) {
        int sy = resolve(y0 + ty - r, height, ghost);
        for (int tx = threadIdx.x; tx < TILE_W + m - 1; tx += TILE_W) {
            int sx = resolve(x0 + tx - r, width, ghost);
            tile[ty][tx] = (sx < 0 || sy < 0) ? Pixel(0) : in[(size_t)sy * width + sx];
        }
    }
    __syncthreads();

    int x = x0 + threadIdx.x;
    int y = y0 + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                sum += d_mask[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
        out[(size_t)y * width + x] = (Pixel)((unsigned int)sum);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 block(TILE_W, TILE_H);
    dim3 grid((width + TILE_W - 1) / TILE_W, (height + TILE_H - 1) / TILE_H);
    blur<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}
