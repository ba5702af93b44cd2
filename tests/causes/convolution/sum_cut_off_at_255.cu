// cause: saturated line 47
// task: conv2d_bytes
// The sum is cut off at 255 instead of taken modulo 256: wrong wherever a sum exceeds 255.
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

__global__ void blur(const unsigned char* in, int width, int height, const unsigned char* mask,
                     int m, int ghost, unsigned char* out) {
    long long pixels = (long long)width * height;
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += step) {
        int y = (int)(p / width);
        int x = (int)(p % width);
        int sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) {
                long long yy = ghost_index(y - m / 2 + j, height, ghost);
                long long xx = ghost_index(x - m / 2 + k, width, ghost);
                if (yy >= 0 && xx >= 0) sum += mask[j * m + k] * in[yy * width + xx];
            }
        // must fit in a byte
        out[p] = (unsigned char)min(sum, 255);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    blur<<<2048, 128>>>(in, width, height, mask, mask_width, ghost, out);
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
            long long yy = ghost_index(y - m / 2 + j, h, ghost);
            long long xx = ghost_index(x - m / 2 + k, w, ghost);
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
