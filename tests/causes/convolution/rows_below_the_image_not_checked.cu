// cause: missing_bounds_check line 74
// task: conv2d_float
// Only x is checked: if height is not a multiple of 16 the threads of the last blocks write rows below the image.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long source(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void conv1(const float* in, long long n, const float* mask, int m, int ghost, float* out) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < m; j++) {
        long long k = source(i - m / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    conv1<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, mask, mask_width, ghost, out);
}

__global__ void conv2_bytes(const unsigned char* in, int width, int height,
                            const unsigned char* mask, int m, int ghost, unsigned char* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        unsigned int sum = 0;
        for (int j = 0; j < m; j++) {
            long long yy = source(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = source(x - m / 2 + k, width, ghost);
                if (xx >= 0) sum += (unsigned int)mask[j * m + k] * in[yy * width + xx];
            }
        }
        out[(size_t)y * width + x] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 grid((width + 127) / 128, height < 65535 ? height : 65535);
    conv2_bytes<<<grid, 128>>>(in, width, height, mask, mask_width, ghost, out);
}

#define TILE 16

__global__ void conv_image(const float* in, int width, int height, const float* mask, int m,
                           int ghost, float* out, int grid_x) {
    extern __shared__ float tile[];
    const int S = TILE + m - 1;
    const int x0 = (blockIdx.x % grid_x) * TILE, y0 = (blockIdx.x / grid_x) * TILE;

    for (int j = threadIdx.y; j < S; j += TILE) {
        for (int k = threadIdx.x; k < S; k += TILE) {
            long long yy = source(y0 - m / 2 + j, height, ghost);
            long long xx = source(x0 - m / 2 + k, width, ghost);
            tile[j * S + k] = (yy < 0 || xx < 0) ? 0.0f : in[yy * width + xx];
        }
    }
    __syncthreads();

    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < width) {
        float sum = 0.0f;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                sum += mask[j * m + k] * tile[(threadIdx.y + j) * S + threadIdx.x + k];
        out[(size_t)y * width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    int S = TILE + mask_width - 1;
    int grid_x = (width + TILE - 1) / TILE, grid_y = (height + TILE - 1) / TILE;
    dim3 block(TILE, TILE);
    conv_image<<<(unsigned)grid_x * grid_y, block, S * S * sizeof(float)>>>(
        in, width, height, mask, mask_width, ghost, out, grid_x);
}
