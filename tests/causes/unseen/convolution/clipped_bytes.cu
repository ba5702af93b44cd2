// cause: saturated line 29
// task: conv2d_bytes
// The sum is clipped at 255 instead of taken modulo 256; shows wherever a sum exceeds 255.
#include "interface.cuh"

#define TX 32
#define TY 8

typedef unsigned char uchar;

__constant__ uchar c_mask[31 * 31];

__device__ inline int border(int k, int n, int ghost)
{
    if (k >= 0 && k < n)
        return k;
    if (ghost == 1)
        return k < 0 ? 0 : n - 1;
    if (ghost == 2) {
        int m = k % (2 * n);
        m = m < 0 ? m + 2 * n : m;
        return m < n ? m : 2 * n - 1 - m;
    }
    return -1;
}

__device__ inline void store(uchar *p, unsigned value)
{
    *p = (uchar)min(value, 255u);
}

__global__ void blur(const uchar *in, int width, int height, int m, int ghost, uchar *out)
{
    extern __shared__ uchar tile[];
    const int r = m / 2;
    const int tw = TX + m - 1, th = TY + m - 1;
    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;

    for (int y = threadIdx.y; y < th; y += TY) {
        const int gy = border(y0 - r + y, height, ghost);
        for (int x = threadIdx.x; x < tw; x += TX) {
            const int gx = border(x0 - r + x, width, ghost);
            tile[y * tw + x] = gx < 0 || gy < 0 ? 0 : in[(size_t)gy * width + gx];
        }
    }
    __syncthreads();

    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < width && y < height) {
        unsigned s = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                s += c_mask[j * m + k] * tile[(threadIdx.y + j) * tw + threadIdx.x + k];
        store(out + (size_t)y * width + x, s);
    }
}

void convolve_2d_bytes(const uchar *in, int width, int height, const uchar *mask, int mask_width, int ghost,
                       uchar *out)
{
    const dim3 block(TX, TY);
    const dim3 grid((width + TX - 1) / TX, (height + TY - 1) / TY);
    const size_t shared = (TX + mask_width - 1) * (TY + mask_width - 1);
    cudaMemcpyToSymbol(c_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    blur<<<grid, block, shared>>>(in, width, height, mask_width, ghost, out);
}
