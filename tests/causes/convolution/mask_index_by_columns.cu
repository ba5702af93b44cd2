// cause: transposed line 50
// task: conv2d_bytes
// Rows and columns of the mask are exchanged when it is read; only symmetric masks give the right image.
#include "interface.cuh"

/*
 * Each thread computes a column of ROWS outputs. The block slides nothing, it just has a
 * tile of 32 x (4*ROWS) outputs.
 */
#define COLS 32
#define LINES 4
#define ROWS 4
#define MAXM 31

struct Image { const unsigned char *p; int w, h, ghost; };

__constant__ unsigned char maskMem[MAXM * MAXM];

static __device__ int wrap(int v, int n, int ghost) {
    if (ghost == 1) return v < 0 ? 0 : (v > n - 1 ? n - 1 : v);
    int period = n + n;
    v %= period;
    v = v < 0 ? v + period : v;
    return v < n ? v : period - v - 1;
}

static __device__ unsigned char get(const Image &im, int x, int y) {
    if (im.ghost == 0 && (x < 0 || y < 0 || x >= im.w || y >= im.h)) return 0;
    return im.p[(long)wrap(y, im.h, im.ghost) * im.w + wrap(x, im.w, im.ghost)];
}

static __global__ void filter(Image im, int m, unsigned char *dst) {
    __shared__ unsigned char t[LINES * ROWS + MAXM - 1][COLS + MAXM - 1];
    const int r = m / 2;
    const int left = blockIdx.x * COLS, top = blockIdx.y * LINES * ROWS;

    for (int y = threadIdx.y; y < LINES * ROWS + 2 * r; y += LINES)
        for (int x = threadIdx.x; x < COLS + 2 * r; x += COLS)
            t[y][x] = get(im, left + x - r, top + y - r);
    __syncthreads();

    for (int q = 0; q < ROWS; q++) {
        int ly = threadIdx.y + q * LINES;
        int y = top + ly;
        int x = left + threadIdx.x;
        if (x >= im.w || y >= im.h) break;
        int s = 0;
        for (int dy = 0; dy < m; dy++)
            for (int dx = 0; dx < m; dx++)
                s += t[ly + dy][threadIdx.x + dx] * maskMem[dx * m + dy];
        dst[(long)y * im.w + x] = (unsigned char)s;
    }
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out) {
    Image im = {in, width, height, ghost};
    dim3 block(COLS, LINES);
    dim3 grid((width + COLS - 1) / COLS, (height + LINES * ROWS - 1) / (LINES * ROWS));
    cudaMemcpyToSymbol(maskMem, mask, (size_t)mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    filter<<<grid, block>>>(im, mask_width, out);
}
