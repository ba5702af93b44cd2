// cause: misaligned line 49
// task: conv2d_bytes
// Four results are stored as one word though rows begin at any address: a misaligned address (the kernel aborts) if width is not a multiple of 4, is at least 4, and there are several rows.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long clampIndex(long long k, long long n, int ghost) {
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
        long long k = clampIndex(i - m / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    conv1<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, mask, mask_width, ghost, out);
}

__device__ unsigned int pixel(const unsigned char* in, int x, int y, int width, int height,
                              const unsigned char* mask, int m, int ghost) {
    unsigned int sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++) {
            long long yy = clampIndex(y - m / 2 + j, height, ghost);
            long long xx = clampIndex(x - m / 2 + k, width, ghost);
            if (yy >= 0 && xx >= 0) sum += mask[j * m + k] * in[yy * width + xx];
        }
    return sum & 255u;
}

__global__ void conv_packed(const unsigned char* in, int width, int height,
                            const unsigned char* mask, int m, int ghost, unsigned char* out) {
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        unsigned char* dst = out + (size_t)y * width + x;
        if (x + 3 < width) {
            unsigned int word = 0;
            for (int q = 3; q >= 0; q--)
                word = word << 8 | pixel(in, x + q, y, width, height, mask, m, ghost);
            *reinterpret_cast<unsigned int*>(dst) = word;  // one store instead of four
        } else {
            for (int q = 0; q < 4 && x + q < width; q++)
                dst[q] = (unsigned char)pixel(in, x + q, y, width, height, mask, m, ghost);
        }
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 block(32), grid((width + 127) / 128, height < 65535 ? height : 65535);
    conv_packed<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
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
            long long yy = clampIndex(y - m / 2 + j, h, ghost);
            long long xx = clampIndex(x - m / 2 + k, w, ghost);
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
