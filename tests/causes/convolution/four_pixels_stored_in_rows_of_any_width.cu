// cause: misaligned line 63 or 64
// task: conv2d_bytes
// A thread makes four pixels and stores them as one uchar4 where all four are inside, but a row begins at y * width: if the
// width is no multiple of 4, the address is none either.
#include "interface.cuh"

#define BX 16
#define BY 16
#define SPAN (BX * 4)
#define MAXM 31

static __device__ __forceinline__ unsigned char pixel(const unsigned char* img, int w, int h, int x, int y, int ghost)
{
    if (ghost == 0) {
        if (x < 0 || y < 0 || x >= w || y >= h)
            return 0;
    } else if (ghost == 1) {
        x = min(max(x, 0), w - 1);
        y = min(max(y, 0), h - 1);
    } else {
        while (x < 0 || x >= w)
            x = x < 0 ? -x - 1 : 2 * w - x - 1;
        while (y < 0 || y >= h)
            y = y < 0 ? -y - 1 : 2 * h - y - 1;
    }
    return img[y * w + x];
}

__global__ void conv4(const unsigned char* img, int w, int h, const unsigned char* mask, int m, int ghost,
                      unsigned char* out)
{
    __shared__ unsigned char t[BY + MAXM - 1][SPAN + MAXM];
    __shared__ unsigned int k[MAXM * MAXM];
    const int id = threadIdx.y * BX + threadIdx.x;
    const int r = m / 2;
    const int cols = SPAN + m - 1, rows = BY + m - 1;

    for (int i = id; i < m * m; i += BX * BY)
        k[i] = mask[i];
    for (int i = id; i < rows * cols; i += BX * BY)
        t[i / cols][i % cols] = pixel(img, w, h, (int)blockIdx.x * SPAN - r + i % cols,
                                      (int)blockIdx.y * BY - r + i / cols, ghost);
    __syncthreads();

    unsigned int a = 0, b = 0, c = 0, d = 0;
    const int lx = threadIdx.x * 4;
    for (int j = 0; j < m; j++) {
        const unsigned char* row = &t[threadIdx.y + j][lx];
        for (int i = 0; i < m; i++) {
            unsigned int f = k[j * m + i];
            a += f * row[i];
            b += f * row[i + 1];
            c += f * row[i + 2];
            d += f * row[i + 3];
        }
    }

    const int x = blockIdx.x * SPAN + lx;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (y >= h)
        return;
    unsigned char* o = out + y * w;
    if (x + 3 < w) {
        *(uchar4*)(o + x) = make_uchar4(a, b, c, d);
    } else {
        if (x < w)
            o[x] = a;
        if (x + 1 < w)
            o[x + 1] = b;
        if (x + 2 < w)
            o[x + 2] = c;
        if (x + 3 < w)
            o[x + 3] = d;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out)
{
    dim3 grid((width + SPAN - 1) / SPAN, (height + BY - 1) / BY);
    conv4<<<grid, dim3(BX, BY)>>>(in, width, height, mask, mask_width, ghost, out);
}
