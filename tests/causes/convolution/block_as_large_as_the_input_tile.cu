// cause: launch_refused line 78
// task: conv2d_float
// The block is as large as the input tile, 16 + mask_width - 1 squared: for masks of 19 x 19 and more that is above 1024 threads and the launch is refused.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long ghost_index(long long k, long long n, int ghost) {
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
        long long k = ghost_index(i - m / 2 + j, n, ghost);
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
            long long yy = ghost_index(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = ghost_index(x - m / 2 + k, width, ghost);
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

// every thread loads one element of the input tile; those in the middle compute
__global__ void conv_big_block(const float* in, int w, int h, const float* mask, int m, int ghost,
                               float* out, int T, int tiles_x) {
    extern __shared__ float s[];
    const int S = T + m - 1, r = m / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = (blockIdx.x % tiles_x) * T + tx - r;
    const int y = (blockIdx.x / tiles_x) * T + ty - r;
    long long xx = ghost_index(x, w, ghost), yy = ghost_index(y, h, ghost);
    s[ty * S + tx] = (xx >= 0 && yy >= 0) ? in[yy * w + xx] : 0.0f;
    __syncthreads();

    if (tx >= r && tx < r + T && ty >= r && ty < r + T && x < w && y < h) {
        float sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) sum += mask[j * m + k] * s[(ty - r + j) * S + tx - r + k];
        out[(size_t)y * w + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    int T = 16;  // outputs of a block in each direction
    int S = T + mask_width - 1;
    int tiles_x = (width + T - 1) / T, tiles_y = (height + T - 1) / T;
    dim3 block(S, S);
    conv_big_block<<<(unsigned)tiles_x * tiles_y, block, S * S * sizeof(float)>>>(
        in, width, height, mask, mask_width, ghost, out, T, tiles_x);
}
