// cause: uninitialised_variable line 46
// task: conv2d_bytes
// The four sums of a thread are never set to zero before the products are added to them: the results depend on what the registers held.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long neighbour(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void signal_kernel(const float* __restrict__ signal, size_t n,
                              const float* __restrict__ weights, int taps, int ghost, float* result)
{
    const int r = taps / 2;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float acc = 0;
        for (int j = 0; j < taps; ++j) {
            long long src = neighbour((long long)i - r + j, (long long)n, ghost);
            acc += src < 0 ? 0.f : weights[j] * signal[src];
        }
        result[i] = acc;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    signal_kernel<<<1024, 128>>>(in, n, mask, mask_width, ghost, out);
}

const int ROWS = 4;  // rows per thread, they share the mask

__global__ void column_of_four(const unsigned char* in, int width, int height,
                               const unsigned char* mask, int m, int ghost, unsigned char* out,
                               int blocks_x) {
    int x = (blockIdx.x % blocks_x) * blockDim.x + threadIdx.x;
    int y0 = (blockIdx.x / blocks_x) * ROWS;
    if (x >= width) return;

    unsigned int sum[ROWS];
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < m; k++) {
            long long xx = neighbour(x - m / 2 + k, width, ghost);
            if (xx < 0) continue;
            unsigned int w = mask[j * m + k];
            for (int q = 0; q < ROWS; q++) {
                long long yy = neighbour(y0 + q - m / 2 + j, height, ghost);
                if (yy >= 0) sum[q] += w * in[yy * width + xx];
            }
        }
    }
    for (int q = 0; q < ROWS; q++)
        if (y0 + q < height) out[(size_t)(y0 + q) * width + x] = (unsigned char)sum[q];
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    int blocks_x = (width + 63) / 64, blocks_y = (height + ROWS - 1) / ROWS;
    column_of_four<<<(unsigned int)blocks_x * blocks_y, 64>>>(in, width, height, mask, mask_width,
                                                              ghost, out, blocks_x);
}

__global__ void image_floats(const float* in, int w, int h, const float* mask, int m, int ghost,
                             float* out)
{
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (size_t)w * h) return;
    int x = id % w, y = id / w;
    float sum = 0;
    for (int j = 0; j < m; ++j) {
        for (int k = 0; k < m; ++k) {
            long long yy = neighbour(y - m / 2 + j, h, ghost);
            long long xx = neighbour(x - m / 2 + k, w, ghost);
            if (yy >= 0 && xx >= 0) sum += mask[j * m + k] * in[yy * w + xx];
        }
    }
    out[id] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    size_t pixels = (size_t)width * height;
    image_floats<<<(unsigned int)((pixels + 191) / 192), 192>>>(in, width, height, mask, mask_width,
                                                               ghost, out);
}
