// cause: saturated line 52
// task: conv2d_bytes
// The sum is cut off at 255 instead of being taken modulo 256.
#include "interface.cuh"

using uchar = unsigned char;

__constant__ uchar d_mask[31 * 31];

// coordinate of the pixel that stands for c, or -1
__device__ int pixel(int c, int len, int ghost)
{
    if (c >= 0 && c < len)
        return c;
    if (ghost == 0)
        return -1;
    if (ghost == 1)
        return c < 0 ? 0 : len - 1;
    int q = c % (2 * len);
    if (q < 0)
        q += 2 * len;
    return q < len ? q : 2 * len - 1 - q;
}

__global__ void blur(const uchar *img, int w, int h, int m, int ghost, uchar *res)
{
    __shared__ uchar cache[46][48];
    int r = m / 2;
    int x0 = blockIdx.x * 16 - r;
    int y0 = blockIdx.y * 16 - r;
    int side = 16 + m - 1;

    for (int ty = threadIdx.y; ty < side; ty += 16) {
        int sy = pixel(y0 + ty, h, ghost);
        for (int tx = threadIdx.x; tx < side; tx += 16) {
            int sx = pixel(x0 + tx, w, ghost);
            cache[ty][tx] = sx < 0 || sy < 0 ? 0 : img[(size_t)sy * w + sx];
        }
    }
    __syncthreads();

    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h)
        return;

    int sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++)
            sum += d_mask[j * m + k] * cache[threadIdx.y + j][threadIdx.x + k];

    res[(size_t)y * w + x] = (uchar)min(sum, 255);
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 threads(16, 16);
    dim3 blocks((width + 15) / 16, (height + 15) / 16);
    blur<<<blocks, threads>>>(in, width, height, mask_width, ghost, out);
}
