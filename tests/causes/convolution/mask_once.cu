// cause: state_kept_between_calls line 54
// task: conv2d_bytes
// the mask goes to constant memory at the first call only: later calls with another mask use the old one
#include "interface.cuh"

#define R_MAX 15
#define W_MAX (2 * R_MAX + 1)
#define TS 16

__constant__ unsigned char d_mask[W_MAX * W_MAX];

__device__ unsigned char ghost_cell(const unsigned char *img, int x, int y, int w, int h, int ghost)
{
    if (x < 0 || x >= w || y < 0 || y >= h) {
        if (ghost == 0)
            return 0;
        if (ghost == 1) {
            x = min(max(x, 0), w - 1);
            y = min(max(y, 0), h - 1);
        } else {
            x = ((x % (2 * w)) + 2 * w) % (2 * w);
            y = ((y % (2 * h)) + 2 * h) % (2 * h);
            if (x >= w) x = 2 * w - 1 - x;
            if (y >= h) y = 2 * h - 1 - y;
        }
    }
    return img[x + (size_t)y * w];
}

__global__ void blur(const unsigned char *img, int w, int h, int mw, int ghost, unsigned char *res)
{
    __shared__ unsigned char t[TS + 2 * R_MAX][TS + 2 * R_MAX + 2];
    const int r = mw >> 1;

    for (int b = threadIdx.y; b < TS + 2 * r; b += TS)
        for (int a = threadIdx.x; a < TS + 2 * r; a += TS)
            t[b][a] = ghost_cell(img, blockIdx.x * TS + a - r, blockIdx.y * TS + b - r, w, h, ghost);
    __syncthreads();

    const int x = blockIdx.x * TS + threadIdx.x, y = blockIdx.y * TS + threadIdx.y;
    if (x < w && y < h) {
        int s = 0;
        for (int j = 0, m = 0; j < mw; ++j)
            for (int i = 0; i < mw; ++i, ++m)
                s += d_mask[m] * t[threadIdx.y + j][threadIdx.x + i];
        res[x + (size_t)y * w] = s & 0xff;
    }
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    static bool mask_loaded = false;
    if (!mask_loaded) {
        cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
        mask_loaded = true;
    }
    blur<<<dim3((width + TS - 1) / TS, (height + TS - 1) / TS), dim3(TS, TS)>>>(in, width, height, mask_width, ghost, out);
}
