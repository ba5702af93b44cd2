// cause: saturated line 24
// task: conv2d_bytes
// sums above 255 become 255, where the remainder modulo 256 is wanted
#include "interface.cuh"

using byte = unsigned char;

const int TX = 32;    // threads of a block, in x
const int TY = 8;     // and in y
const int ROWS = 4;   // output rows per thread
const int TILE_H = TY * ROWS;

__device__ int neighbour(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return min(max(k, 0), n - 1);
    int p = k % (2 * n);
    if (p < 0) p += 2 * n;
    return p < n ? p : 2 * n - 1 - p;
}

// An accumulator back to a pixel.
__device__ inline byte to_pixel(unsigned int acc) {
    return static_cast<byte>(min(acc, 255u));
}

__global__ void blur_kernel(const byte* in, int width, int height, const byte* mask, int mask_width,
                            int ghost, byte* out) {
    extern __shared__ byte smem[];
    const int halo = mask_width - 1;
    const int r = mask_width / 2;
    const int tile_w = TX + halo;
    const int tile_h = TILE_H + halo;
    byte* s_mask = smem;
    byte* s_tile = smem + mask_width * mask_width;

    const int tid = threadIdx.y * TX + threadIdx.x;
    const int x0 = blockIdx.x * TX;
    const int y0 = blockIdx.y * TILE_H;

    for (int i = tid; i < mask_width * mask_width; i += TX * TY) s_mask[i] = mask[i];
    for (int i = tid; i < tile_w * tile_h; i += TX * TY) {
        const int row = neighbour(y0 - r + i / tile_w, height, ghost);
        const int col = neighbour(x0 - r + i % tile_w, width, ghost);
        s_tile[i] = row < 0 || col < 0 ? 0 : in[static_cast<std::size_t>(row) * width + col];
    }
    __syncthreads();

    // each thread: ROWS pixels in one column, TY rows apart
    unsigned int acc[ROWS] = {};
    for (int j = 0; j < mask_width; ++j) {
        for (int k = 0; k < mask_width; ++k) {
            const unsigned int m = s_mask[j * mask_width + k];
#pragma unroll
            for (int q = 0; q < ROWS; ++q) {
                const int ty = threadIdx.y + q * TY;
                acc[q] += m * s_tile[(ty + j) * tile_w + threadIdx.x + k];
            }
        }
    }

    const int x = x0 + threadIdx.x;
#pragma unroll
    for (int q = 0; q < ROWS; ++q) {
        const int y = y0 + threadIdx.y + q * TY;
        if (x < width && y < height) {
            out[static_cast<std::size_t>(y) * width + x] = to_pixel(acc[q]);
        }
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 threads(TX, TY);
    dim3 grid((width + TX - 1) / TX, (height + TILE_H - 1) / TILE_H);
    size_t bytes = mask_width * mask_width + (TX + mask_width - 1) * (TILE_H + mask_width - 1);
    blur_kernel<<<grid, threads, bytes>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
