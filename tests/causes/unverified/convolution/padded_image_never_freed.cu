// cause: leak line 89
// task: conv2d_float
// The padded copy of the image is allocated in each call and never freed: the device runs out of memory after some calls with large images.
#include "interface.cuh"

__host__ __device__ inline long long clampIndex(long long pos, long long size, int policy)
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

__global__ void conv1(const float* in, long long n, const float* mask, int m, int ghost, float* out) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < m; j++) {
        long long k = clampIndex(i - m / 2 + j, n, ghost);
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
            long long yy = clampIndex(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = clampIndex(x - m / 2 + k, width, ghost);
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

// copy of the image with r ghost cells on every side
__global__ void pad(const float* in, int w, int h, int r, int ghost, float* padded) {
    size_t pw = w + 2 * r, ph = h + 2 * r;
    size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pw * ph) return;
    long long x = clampIndex((long long)(p % pw) - r, w, ghost);
    long long y = clampIndex((long long)(p / pw) - r, h, ghost);
    padded[p] = (x < 0 || y < 0) ? 0.0f : in[y * w + x];
}

__global__ void conv_padded(const float* padded, int w, int h, const float* mask, int m, float* out) {
    size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (size_t)w * h) return;
    size_t x = p % w, y = p / w, pw = w + m - 1;
    float sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++) sum += mask[j * m + k] * padded[(y + j) * pw + x + k];
    out[p] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    int r = mask_width / 2;
    size_t pixels = (size_t)width * height, all = (size_t)(width + 2 * r) * (height + 2 * r);
    float* padded;
    cudaMalloc(&padded, all * sizeof(float));
    pad<<<(unsigned int)((all + 255) / 256), 256>>>(in, width, height, r, ghost, padded);
    unsigned int blocks = (unsigned int)((pixels + 255) / 256);
    conv_padded<<<blocks, 256>>>(padded, width, height, mask, mask_width, out);
}
