// cause: misaligned line 55 or 56
// task: conv2d_bytes
// Four bytes are stored at once also where the width of the image is not a multiple of 4 and rows do not begin at such an address.
#include "interface.cuh"

// Every thread makes four pixels that stand next to each other in a row.
// A row of blocks covers 32 * 4 pixels.

__device__ int ghost_index(int k, int n, int ghost)
{
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = k % (2 * n);
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__device__ unsigned int pixel(const unsigned char* in, int width, int height, int x, int y, int ghost)
{
    int gx = ghost_index(x, width, ghost);
    int gy = ghost_index(y, height, ghost);
    return gx < 0 || gy < 0 ? 0u : in[(size_t)gy * width + gx];
}

__global__ void conv2d_quads(const unsigned char* in, int width, int height,
                             const unsigned char* mask, int mask_width, int ghost,
                             unsigned char* out)
{
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    int r = mask_width / 2;
    unsigned int s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = 0; j < mask_width; j++) {
        // a window of four pixels that slides to the right
        unsigned int a = pixel(in, width, height, x - r, y - r + j, ghost);
        unsigned int b = pixel(in, width, height, x - r + 1, y - r + j, ghost);
        unsigned int c = pixel(in, width, height, x - r + 2, y - r + j, ghost);
        for (int k = 0; k < mask_width; k++) {
            unsigned int d = pixel(in, width, height, x - r + k + 3, y - r + j, ghost);
            unsigned int m = mask[j * mask_width + k];
            s0 += m * a;
            s1 += m * b;
            s2 += m * c;
            s3 += m * d;
            a = b;
            b = c;
            c = d;
        }
    }

    unsigned char* p = out + (size_t)y * width + x;
    if (x + 3 < width) {
        *reinterpret_cast<uchar4*>(p) = make_uchar4(s0, s1, s2, s3);
    } else {
        p[0] = s0;
        if (x + 1 < width) p[1] = s1;
        if (x + 2 < width) p[2] = s2;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    dim3 block(32, 8);
    dim3 grid((width + 127) / 128, (height + 7) / 8);
    conv2d_quads<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    // TODO
}
