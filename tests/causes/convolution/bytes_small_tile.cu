// cause: array_too_small line 9
// task: conv2d_bytes
// The static tile has room for masks up to 15 only; wider masks write beyond it.
#include "interface.cuh"

using byte_t = unsigned char;

constexpr int TILE   = 16;
constexpr int RADIUS = 7;
constexpr int SIDE   = TILE + 2 * RADIUS;

__constant__ byte_t d_mask[961];

enum Ghost { ZERO = 0, REPLICATE = 1, MIRROR = 2 };

__device__ bool locate(int& i, int n, int ghost)
{
    if (i >= 0 && i < n) return true;
    if (ghost == ZERO) return false;
    if (ghost == REPLICATE) {
        i = i < 0 ? 0 : n - 1;
        return true;
    }
    i = i < 0 ? (-i - 1) % (2 * n) : i % (2 * n);
    if (i >= n) i = 2 * n - i - 1;
    return true;
}

__global__ void blur(const byte_t* in, int width, int height, int m, int ghost, byte_t* out)
{
    __shared__ byte_t tile[SIDE][SIDE];

    const int r = m / 2;
    for (int row = threadIdx.y; row < TILE + 2 * r; row += TILE) {
        for (int col = threadIdx.x; col < TILE + 2 * r; col += TILE) {
            int sx = (int)(blockIdx.x * TILE) + col - r;
            int sy = (int)(blockIdx.y * TILE) + row - r;
            byte_t v = 0;
            if (locate(sx, width, ghost) && locate(sy, height, ghost))
                v = in[(size_t)sy * width + sx];
            tile[row][col] = v;
        }
    }
    __syncthreads();

    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        unsigned total = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                total += (unsigned)d_mask[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
        out[(size_t)y * width + x] = (byte_t)(total & 0xff);
    }
}

void convolve_2d_bytes(const byte_t* in, int width, int height, const byte_t* mask, int mask_width, int ghost, byte_t* out)
{
    cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    blur<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}
