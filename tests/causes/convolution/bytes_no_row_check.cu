// cause: missing_bounds_check line 46 or 51
// task: conv2d_bytes
// Four rows per thread are written and only the column is checked, so rows beyond the image are written when its height is no multiple of 32.
#include "interface.cuh"

#define W 32
#define H 8
#define ROWS 4

typedef unsigned char u8;

template <typename F>
__device__ void for_tile(int tw, int th, F f)
{
    for (int y = threadIdx.y; y < th; y += H)
        for (int x = threadIdx.x; x < tw; x += W)
            f(x, y);
}

__global__ void conv_rows(const u8* in, int width, int height, const u8* mask, int m, int ghost, u8* out)
{
    __shared__ u8 t[H * ROWS + 30][W + 32];
    __shared__ u8 c[31][32];

    int x0 = blockIdx.x * W - m / 2;
    int y0 = blockIdx.y * H * ROWS - m / 2;

    auto map = [ghost](int k, int n) {
        if (ghost == 1) k = max(0, min(n - 1, k));
        if (ghost == 2)
            while (k < 0 || k >= n) k = k < 0 ? -1 - k : 2 * n - 1 - k;
        return k;
    };
    for_tile(m, m, [&](int x, int y) { c[y][x] = mask[y * m + x]; });
    for_tile(W + m - 1, H * ROWS + m - 1, [&](int x, int y) {
        int sx = map(x0 + x, width), sy = map(y0 + y, height);
        bool ok = sx >= 0 && sx < width && sy >= 0 && sy < height;
        t[y][x] = ok ? in[(size_t)sy * width + sx] : 0;
    });
    __syncthreads();

    int x = blockIdx.x * W + threadIdx.x;
    if (x >= width) return;
    for (int q = 0; q < ROWS; q++) {
        int row = threadIdx.y + q * H;
        int y = blockIdx.y * H * ROWS + row;
        unsigned sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                sum += c[j][k] * t[row + j][threadIdx.x + k];
        out[(size_t)y * width + x] = (u8)sum;
    }
}

void convolve_2d_bytes(const u8* in, int width, int height, const u8* mask, int mask_width, int ghost, u8* out)
{
    dim3 grid((width + W - 1) / W, (height + H * ROWS - 1) / (H * ROWS));
    conv_rows<<<grid, dim3(W, H)>>>(in, width, height, mask, mask_width, ghost, out);
}
