// cause: transposed line 7
// task: conv2d_float
// the row pitch of the input is taken as height, so all images that are not square come out wrong or are read out of bounds
#include "interface.cuh"

#define TILE 16
#define IN(p, row, col) ((p)[(size_t)(row) * height + (col)])

__constant__ float Mc[31 * 31];

__device__ int reflect(int k, int n)
{
    int m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

__device__ float fetch(const float *in, int row, int col, int width, int height, int ghost)
{
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    if (!inside) {
        if (ghost == 0) return 0.0f;
        if (ghost == 1) {
            row = min(max(row, 0), height - 1);
            col = min(max(col, 0), width - 1);
        } else {
            row = reflect(row, height);
            col = reflect(col, width);
        }
    }
    return IN(in, row, col);
}

__global__ void conv2d(const float *in, int width, int height, int K, int ghost, float *out)
{
    extern __shared__ float N_s[];
    const int w = TILE + K - 1;
    const int row_o = blockIdx.y * TILE + threadIdx.y;
    const int col_o = blockIdx.x * TILE + threadIdx.x;

    for (int d = threadIdx.y * TILE + threadIdx.x; d < w * w; d += TILE * TILE)
        N_s[d] = fetch(in, blockIdx.y * TILE - K / 2 + d / w, blockIdx.x * TILE - K / 2 + d % w,
                       width, height, ghost);
    __syncthreads();

    if (row_o < height && col_o < width) {
        float acc = 0.0f;
        for (int j = 0; j < K; j++)
            for (int k = 0; k < K; k++)
                acc += Mc[j * K + k] * N_s[(threadIdx.y + j) * w + threadIdx.x + k];
        out[(size_t)row_o * width + col_o] = acc;
    }
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost, float *out)
{
    cudaMemcpyToSymbol(Mc, mask, mask_width * mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    int w = TILE + mask_width - 1;
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    conv2d<<<grid, block, w * w * sizeof(float)>>>(in, width, height, mask_width, ghost, out);
}
