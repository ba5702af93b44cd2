// cause: ghost_policy line 23
// task: conv1d
// The mirror image is not mirrored again: for masks that reach further than n beyond the edge the index is still outside (out of bounds).
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

// the same for signals, shorter
__device__ long long reflect(long long k, long long n) {
    if (k < 0) k = -k - 1;
    if (k >= n) k = 2 * n - 1 - k;
    return k;
}

__global__ void conv_signal(const float* in, long long n, const float* mask, int m, int ghost,
                            float* out) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        float sum = 0;
        for (int j = 0; j < m; j++) {
            long long k = i - m / 2 + j;
            float v;
            if (ghost == 0)
                v = (k >= 0 && k < n) ? in[k] : 0.0f;
            else if (ghost == 1)
                v = in[max(0LL, min(n - 1, k))];
            else
                v = in[reflect(k, n)];
            sum += mask[j] * v;
        }
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    unsigned int blocks = (unsigned int)((n + 127) / 128);
    conv_signal<<<blocks, 128>>>(in, n, mask, mask_width, ghost, out);
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
