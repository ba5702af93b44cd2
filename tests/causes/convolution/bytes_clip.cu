// cause: saturated line 34
// task: conv2d_bytes
// The helper that stores a pixel clips the sum at 255 where it should be taken modulo 256.
#include "interface.cuh"

typedef unsigned char uchar;

struct Image {
    const uchar* data;
    int w, h, ghost;

    __device__ int at(int x, int y) const
    {
        int xx = wrap(x, w), yy = wrap(y, h);
        return xx < 0 || yy < 0 ? 0 : data[(size_t)yy * w + xx];
    }

    __device__ int wrap(int k, int n) const
    {
        if (k >= 0 && k < n) return k;
        switch (ghost) {
        case 1: return k < 0 ? 0 : n - 1;
        case 2:
            k %= 2 * n;
            if (k < 0) k += 2 * n;
            return k >= n ? 2 * n - 1 - k : k;
        default: return -1;
        }
    }
};

__device__ uchar toPixel(int v)
{
    return (uchar)(v > 255 ? 255 : v);
}

__global__ void filter(Image img, const uchar* __restrict__ mask, int m, uchar* out)
{
    const int TX = 32, TY = 8;
    __shared__ uchar tile[8 + 30][32 + 30];
    __shared__ uchar weights[31 * 31];

    int tid = threadIdx.y * TX + threadIdx.x;
    int r = m / 2, x0 = blockIdx.x * TX - r, y0 = blockIdx.y * TY - r;
    for (int k = tid; k < m * m; k += TX * TY) weights[k] = mask[k];
    for (int y = threadIdx.y; y < TY + m - 1; y += TY)
        for (int x = threadIdx.x; x < TX + m - 1; x += TX)
            tile[y][x] = img.at(x0 + x, y0 + y);
    __syncthreads();

    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x < img.w && y < img.h) {
        int acc = 0;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k)
                acc += weights[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
        out[(size_t)y * img.w + x] = toPixel(acc);
    }
}

void convolve_2d_bytes(const uchar* in, int width, int height, const uchar* mask, int mask_width,
                       int ghost, uchar* out)
{
    Image img{in, width, height, ghost};
    filter<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(img, mask, mask_width, out);
}
