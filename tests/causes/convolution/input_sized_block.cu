// cause: launch_refused line 45 or 46
// task: conv2d_bytes
// a block has one thread per element of the input tile, which is more than 1024 threads for masks wider than 17
#include "interface.cuh"

#define MAX_TILE 16
#define SIDE 32

__global__ void conv_bytes(const unsigned char *in, int width, int height, const unsigned char *mask, int k,
                           int ghost, int tile, unsigned char *out)
{
    extern __shared__ unsigned char in_s[];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col_o = blockIdx.x * tile + tx;
    int row_o = blockIdx.y * tile + ty;
    int col_i = col_o - k / 2;
    int row_i = row_o - k / 2;
    unsigned char v = 0;

    if (ghost == 2) {
        while (col_i < 0 || col_i >= width)  col_i = col_i < 0 ? -col_i - 1 : 2 * width - 1 - col_i;
        while (row_i < 0 || row_i >= height) row_i = row_i < 0 ? -row_i - 1 : 2 * height - 1 - row_i;
    } else if (ghost == 1) {
        col_i = min(max(col_i, 0), width - 1);
        row_i = min(max(row_i, 0), height - 1);
    }
    if (col_i >= 0 && col_i < width && row_i >= 0 && row_i < height)
        v = in[row_i * width + col_i];
    in_s[ty * blockDim.x + tx] = v;
    __syncthreads();

    /* threads of the halo have done their work */
    if (tx < tile && ty < tile && row_o < height && col_o < width) {
        unsigned sum = 0;
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                sum += mask[j * k + i] * in_s[(ty + j) * blockDim.x + tx + i];
        out[row_o * width + col_o] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask, int mask_width,
                       int ghost, unsigned char *out)
{
    int tile = MAX_TILE;
    dim3 block(tile + mask_width - 1, tile + mask_width - 1);
    dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    conv_bytes<<<grid, block, block.x * block.y>>>(in, width, height, mask, mask_width, ghost, tile, out);
}
