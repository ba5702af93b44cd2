// cause: saturated line 61
// task: conv2d_bytes
// The packed sums are added with __vaddus4, which stops at 255 in each byte, where they must wrap around.
#include "interface.cuh"

// SIMD within a register: the sums of four rows are kept in the four bytes of one unsigned int,
// because only the low byte of a sum is wanted. The CUDA math library has functions for that.

typedef unsigned char byte;

struct Image {
    const byte *data;
    int width, height, ghost;
};

static __device__ int wrap(int k, int n)
{
    const int period = 2 * n;
    k = ((k % period) + period) % period;
    return k < n ? k : period - 1 - k;
}

static __device__ unsigned at(const Image &img, int x, int y)
{
    if (x < 0 || y < 0 || x >= img.width || y >= img.height) {
        if (img.ghost == 0)
            return 0;
        if (img.ghost == 1) {
            x = x < 0 ? 0 : x >= img.width ? img.width - 1 : x;
            y = y < 0 ? 0 : y >= img.height ? img.height - 1 : y;
        } else {
            x = wrap(x, img.width);
            y = wrap(y, img.height);
        }
    }
    return img.data[(size_t)y * img.width + x];
}

// four products, each cut to its low byte
static __device__ unsigned products(unsigned m, unsigned p0, unsigned p1, unsigned p2, unsigned p3)
{
    return ((m * p0) & 0xff) | ((m * p1) & 0xff) << 8 | ((m * p2) & 0xff) << 16 | ((m * p3) & 0xff) << 24;
}

__global__ void conv_packed(Image img, const byte *mask, int mask_width, byte *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= img.width || y >= img.height)
        return;

    const int r = mask_width / 2;
    unsigned sums = 0;
    for (int k = 0; k < mask_width; ++k) {
        const int col = x - r + k;
        unsigned p0 = at(img, col, y - r);
        unsigned p1 = at(img, col, y - r + 1);
        unsigned p2 = at(img, col, y - r + 2);
        for (int j = 0; j < mask_width; ++j) {
            const unsigned p3 = at(img, col, y - r + j + 3);
            sums = __vaddus4(sums, products(mask[j * mask_width + k], p0, p1, p2, p3));
            p0 = p1;
            p1 = p2;
            p2 = p3;
        }
    }

    for (int row = 0; row < 4 && y + row < img.height; ++row)
        out[(size_t)(y + row) * img.width + x] = (byte)(sums >> 8 * row);
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost, float *out) {}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    const Image img = {in, width, height, ghost};
    const dim3 block(64, 4);
    const dim3 grid((width + 63) / 64, (height + 15) / 16);
    conv_packed<<<grid, block>>>(img, mask, mask_width, out);
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost,
                       float *out) {}
