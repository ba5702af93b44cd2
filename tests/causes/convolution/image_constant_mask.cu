// cause: size_in_elements line 58
// task: conv2d_float
// Only a quarter of the bytes of the mask is copied to constant memory; the other taps stay 0 or those of the call before.
#include "interface.cuh"

#define MAX_MASK 31
#define BLOCK_X 32
#define BLOCK_Y 8
#define ROWS_PER_THREAD 2

__constant__ float c_mask[MAX_MASK * MAX_MASK];

// The index that stands for k, or -1 for a ghost cell that is zero.
__device__ int ghost_index(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void conv_float_kernel(const float* in, int width, int height, int mask_width,
                                  int ghost, float* out) {
    const int r = mask_width / 2;
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y0 = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS_PER_THREAD;
    if (x >= width) return;

    for (int y = y0; y < y0 + ROWS_PER_THREAD && y < height; ++y) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; ++j) {
            const int row = ghost_index(y - r + j, height, ghost);
            if (row < 0) continue;
            for (int k = 0; k < mask_width; ++k) {
                const int col = ghost_index(x - r + k, width, ghost);
                if (col >= 0)
                    sum += c_mask[j * mask_width + k] * in[(std::size_t)row * width + col];
            }
        }
        out[(std::size_t)y * width + x] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const int taps = mask_width * mask_width;
    cudaMemcpyToSymbol(c_mask, mask, taps, 0, cudaMemcpyDeviceToDevice);

    const int rows_per_block = BLOCK_Y * ROWS_PER_THREAD;
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid((width + BLOCK_X - 1) / BLOCK_X, (height + rows_per_block - 1) / rows_per_block);
    conv_float_kernel<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}
