// cause: launch_refused line 74 or 77
// task: conv2d_float
// a block as large as the input tile has more than 1024 threads for masks from 15 taps on
#include "interface.cuh"

// Block = input tile: every thread loads exactly one element, and the threads
// of the halo rest while the others compute.

#define MAX_MASK 31

__device__ int reflect(int k, int n)
{
    int period = 2 * n;
    k = k % period;
    if (k < 0)
        k += period;
    return (k < n) ? k : period - 1 - k;
}

__device__ float pixel(const float *img, int x, int y, int w, int h, int ghost)
{
    switch (ghost) {
    case 0:
        if (x < 0 || y < 0 || x >= w || y >= h)
            return 0.f;
        break;
    case 1:
        x = max(0, min(x, w - 1));
        y = max(0, min(y, h - 1));
        break;
    case 2:
        x = reflect(x, w);
        y = reflect(y, h);
        break;
    }
    return img[(size_t)y * w + x];
}

__global__ void conv2d(const float *img, int w, int h, const float *mask, int m, int ghost,
                       int tile, float *res)
{
    __shared__ float in_s[32 * 32];
    __shared__ float mask_s[MAX_MASK * MAX_MASK];

    int side = blockDim.x;  // tile + m - 1
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * tile + tx - m / 2;
    int y = blockIdx.y * tile + ty - m / 2;

    in_s[ty * side + tx] = pixel(img, x, y, w, h, ghost);
    for (int i = ty * side + tx; i < m * m; i += side * side)
        mask_s[i] = mask[i];
    __syncthreads();

    // (tx, ty) is now the upper left corner of the mask
    if (tx < tile && ty < tile) {
        int ox = blockIdx.x * tile + tx;
        int oy = blockIdx.y * tile + ty;
        if (ox < w && oy < h) {
            float acc = 0.f;
            for (int j = 0; j < m; ++j)
                for (int i = 0; i < m; ++i)
                    acc = fmaf(mask_s[j * m + i], in_s[(ty + j) * side + tx + i], acc);
            res[(size_t)oy * w + ox] = acc;
        }
    }
}

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width,
                       int ghost, float *out)
{
    int tile = 20;  /* outputs per block, in x and in y */
    dim3 block(tile + mask_width - 1, tile + mask_width - 1);
    dim3 grid(ceil_div(width, tile), ceil_div(height, tile));
    conv2d<<<grid, block>>>(in, width, height, mask, mask_width, ghost, tile, out);
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost,
                 float *out)
{
    // TODO
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    // TODO
}
