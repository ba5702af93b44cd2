// cause: array_too_small line 8
// task: conv2d_bytes
// The tile has room for the halo on one side only: wrong for masks of more than 16 taps.
#include "interface.cuh"

#define TILE 16
#define MAX_RADIUS 15
#define SIDE (TILE + MAX_RADIUS)

__constant__ unsigned char c_mask[31 * 31];

__device__ int ghost_index(int k, int n, int ghost)
{
    if (k >= 0 && k < n)
        return k;
    if (ghost == 0)
        return -1;
    if (ghost == 1)
        return k < 0 ? 0 : n - 1;
    k = k % (2 * n);
    if (k < 0)
        k += 2 * n;
    if (k >= n)
        k = 2 * n - 1 - k;
    return k;
}

__global__ void conv_bytes(const unsigned char *in, int width, int height, int mask_width, int ghost, unsigned char *out)
{
    __shared__ unsigned char tile[SIDE * SIDE];
    int r = mask_width / 2;
    int side = TILE + 2 * r;
    int left = blockIdx.x * TILE - r;
    int top = blockIdx.y * TILE - r;

    /* all threads load, several elements each */
    for (int e = threadIdx.y * TILE + threadIdx.x; e < side * side; e += TILE * TILE) {
        int y = ghost_index(top + e / side, height, ghost);
        int x = ghost_index(left + e % side, width, ghost);
        tile[e] = (x < 0 || y < 0) ? 0 : in[(size_t)y * width + x];
    }
    __syncthreads();

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        int sum = 0;
        for (int j = 0; j < mask_width; j++)
            for (int k = 0; k < mask_width; k++)
                sum += c_mask[j * mask_width + k] * tile[(threadIdx.y + j) * side + threadIdx.x + k];
        out[(size_t)y * width + x] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask, int mask_width,
                       int ghost, unsigned char *out)
{
    cudaMemcpyToSymbol(c_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 threads(TILE, TILE);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    conv_bytes<<<blocks, threads>>>(in, width, height, mask_width, ghost, out);
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost, float *out) {}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost,
                       float *out) {}
