// cause: transposed line 50
// task: conv2d_bytes
// The mask is read column by column: wrong unless the mask equals its transpose.

#include "interface.cuh"

typedef unsigned char u8;

#define COLS 32               // outputs of a block, and threads in x
#define ROWS 16               // outputs of a block in y
#define STEP 4                // threads in y; each does ROWS / STEP rows
#define ROWS_EACH (ROWS / STEP)
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

__constant__ u8 c_mask[31 * 31];

// POLICY is the ghost policy, known to the compiler: no tests of it in the loops
template <int POLICY>
__device__ int fold(int k, int n) {
    if (POLICY == 0) return k >= 0 && k < n ? k : -1;
    if (POLICY == 1) return k < 0 ? 0 : (k < n ? k : n - 1);
    while (k < 0 || k >= n) k = k < 0 ? -1 - k : 2 * n - 1 - k;
    return k;
}

template <int POLICY>
__global__ void conv_u8(const u8* __restrict__ in, int width, int height, int m, u8* out) {
    extern __shared__ u8 tile[];
    const int r = m / 2;
    const int pitch = COLS + 2 * r;
    const int bx = blockIdx.x * COLS, by = blockIdx.y * ROWS;

    const int tid = threadIdx.y * COLS + threadIdx.x;
    for (int p = tid; p < pitch * (ROWS + 2 * r); p += COLS * STEP) {
        const int sx = fold<POLICY>(bx - r + p % pitch, width);
        const int sy = fold<POLICY>(by - r + p / pitch, height);
        tile[p] = (sx < 0 || sy < 0) ? 0 : in[sy * width + sx];
    }
    __syncthreads();

    unsigned sum[ROWS_EACH] = {0};
    // down the columns: the rows that a thread owns are below each other
    for (int dx = 0; dx < m; ++dx) {
        for (int dy = 0; dy < m; ++dy) {
            const unsigned w = c_mask[dx * m + dy];
            for (int q = 0; q < ROWS_EACH; ++q) {
                const int row = threadIdx.y + q * STEP;
                sum[q] += w * tile[(row + dy) * pitch + threadIdx.x + dx];
            }
        }
    }

    const int x = bx + threadIdx.x;
    for (int q = 0; q < ROWS_EACH; ++q) {
        const int y = by + threadIdx.y + q * STEP;
        if (x < width && y < height) out[y * width + x] = (u8)(sum[q] & 0xff);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const int m = mask_width;
    cudaMemcpyToSymbol(c_mask, mask, m * m, 0, cudaMemcpyDeviceToDevice);

    dim3 threads(COLS, STEP);
    dim3 blocks(DIV_UP(width, COLS), DIV_UP(height, ROWS));
    size_t bytes = (COLS + m - 1) * (ROWS + m - 1);
    switch (ghost) {
        case 0: conv_u8<0><<<blocks, threads, bytes>>>(in, width, height, m, out); break;
        case 1: conv_u8<1><<<blocks, threads, bytes>>>(in, width, height, m, out); break;
        case 2: conv_u8<2><<<blocks, threads, bytes>>>(in, width, height, m, out); break;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
