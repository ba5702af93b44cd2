// cause: uninitialised_output line 89
// task: conv2d_float
// The kernel for the border is not launched for ghost 0, so the r outermost rows and columns are never written there.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long where(long long k, long long n, int ghost) {
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
        long long k = where(i - m / 2 + j, n, ghost);
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
            long long yy = where(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = where(x - m / 2 + k, width, ghost);
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

// inside: no ghost cells, no conditions
__global__ void inner(const float* in, int w, int h, const float* mask, int m, float* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int x = (int)(p % w), y = (int)(p / w), r = m / 2;
    if (y >= h || x < r || x >= w - r || y < r || y >= h - r) return;
    const float* corner = in + (size_t)(y - r) * w + (x - r);
    float sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++) sum += mask[j * m + k] * corner[(size_t)j * w + k];
    out[p] = sum;
}

// the border, r wide
__global__ void border(const float* in, int w, int h, const float* mask, int m, int ghost,
                       float* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int x = (int)(p % w), y = (int)(p / w), r = m / 2;
    if (p >= (long long)w * h) return;
    if (x >= r && x < w - r && y >= r && y < h - r) return;
    float sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++) {
            long long yy = where(y - r + j, h, ghost), xx = where(x - r + k, w, ghost);
            if (yy >= 0 && xx >= 0) sum += mask[j * m + k] * in[yy * w + xx];
        }
    out[p] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 127) / 128);
    inner<<<blocks, 128>>>(in, width, height, mask, mask_width, out);
    // zeros outside add nothing
    if (ghost != 0) border<<<blocks, 128>>>(in, width, height, mask, mask_width, ghost, out);
}
