// cause: transposed line 45
// task: conv2d_bytes
// The rows and the columns of the tile are exchanged when it is read; shows for nearly every image of more than one row and column.
#include "interface.cuh"

#define W 16
#define MAXM 31

__device__ int idx(int k, int n, int g)
{
    int p = 2 * n;
    if (g == 1) return k < 0 ? 0 : k >= n ? n - 1 : k;
    if (g == 2) {
        k %= p;
        if (k < 0) k += p;
        if (k >= n) k = p - 1 - k;
        return k;
    }
    return (k < 0 || k >= n) ? -1 : k;
}

__constant__ unsigned char Mc[MAXM * MAXM];

__global__ void conv2d(const unsigned char* N, unsigned char* P, int width, int height, int m, int g)
{
    __shared__ int Ns[W + MAXM - 1][W + MAXM];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * W + tx;
    int row = blockIdx.y * W + ty;
    int r = m / 2;

    for (int y = ty; y < W + 2 * r; y += W)
        for (int x = tx; x < W + 2 * r; x += W) {
            int sy = idx(blockIdx.y * W + y - r, height, g);
            int sx = idx(blockIdx.x * W + x - r, width, g);
            Ns[y][x] = (sy >= 0 && sx >= 0) ? N[sy * width + sx] : 0;
        }
    __syncthreads();

    if (row < height && col < width) {
        int sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                sum += Mc[j * m + k] * Ns[tx + k][ty + j];
        P[row * width + col] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    dim3 threads(W, W);
    dim3 blocks((width - 1) / W + 1, (height - 1) / W + 1);
    cudaMemcpyToSymbol(Mc, mask, (size_t)mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    conv2d<<<blocks, threads>>>(in, out, width, height, mask_width, ghost);
}
