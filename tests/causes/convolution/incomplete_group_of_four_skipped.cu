// cause: tail_ignored line 47
// task: conv2d_bytes
// A thread computes four neighbouring pixels only if all of them exist: the width % 4 last pixels of each row are never written.
#include "interface.cuh"

__host__ __device__ inline long long where(long long pos, long long size, int policy)
{
    bool inside = pos >= 0 && pos < size;
    if (!inside) {
        switch (policy) {
        case 0: return -1;
        case 1: pos = pos < 0 ? 0 : size - 1; break;
        default:
            pos = ((pos % (2 * size)) + 2 * size) % (2 * size);
            if (pos >= size) pos = 2 * size - 1 - pos;
        }
    }
    return pos;
}

__global__ void signal_kernel(const float* __restrict__ signal, size_t n,
                              const float* __restrict__ weights, int taps, int ghost, float* result)
{
    const int r = taps / 2;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float acc = 0;
        for (int j = 0; j < taps; ++j) {
            long long src = where((long long)i - r + j, (long long)n, ghost);
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

// each thread: 4 pixels next to each other
__global__ void fourPixels(const unsigned char* img, int width, int height,
                           const unsigned char* mask, int m, int ghost, unsigned char* out)
{
    int x0 = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (x0 + 4 > width) return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        unsigned int sum[4] = {0, 0, 0, 0};
        for (int j = 0; j < m; ++j) {
            long long row = where(y - m / 2 + j, height, ghost);
            if (row < 0) continue;
            for (int k = 0; k < m; ++k) {
                unsigned int weight = mask[j * m + k];
                for (int q = 0; q < 4; ++q) {
                    long long col = where(x0 + q - m / 2 + k, width, ghost);
                    if (col >= 0) sum[q] += weight * img[row * width + col];
                }
            }
        }
        for (int q = 0; q < 4; ++q)
            out[(size_t)y * width + x0 + q] = (unsigned char)sum[q];
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    int groups = (width + 3) / 4;
    dim3 grid((groups + 63) / 64, min(height, 65535));
    fourPixels<<<grid, 64>>>(in, width, height, mask, mask_width, ghost, out);
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
            long long yy = where(y - m / 2 + j, h, ghost);
            long long xx = where(x - m / 2 + k, w, ghost);
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
