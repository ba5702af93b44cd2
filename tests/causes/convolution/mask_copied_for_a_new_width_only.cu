// cause: state_kept_between_calls line 60
// task: conv2d_bytes
// The mask is copied to constant memory only if its width differs from that of the call before: a second call with another mask of the same width uses the old mask.
#include "interface.cuh"

__constant__ unsigned char byte_mask[31 * 31];

__host__ __device__ inline long long idx_of(long long pos, long long size, int policy)
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
        long long k = idx_of(i - m / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    conv1<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, mask, mask_width, ghost, out);
}

__global__ void conv_bytes_const(const unsigned char* in, int width, int height, int m, int ghost,
                                 unsigned char* out) {
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (size_t)width * height) return;
    int x = (int)(id % width), y = (int)(id / width);
    int r = m / 2;
    unsigned int sum = 0;
    for (int j = -r; j <= r; j++) {
        long long yy = idx_of(y + j, height, ghost);
        if (yy < 0) continue;
        for (int k = -r; k <= r; k++) {
            long long xx = idx_of(x + k, width, ghost);
            if (xx >= 0) sum += byte_mask[(j + r) * m + k + r] * in[yy * width + xx];
        }
    }
    out[id] = (unsigned char)(sum % 256);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    static int copied_width = 0;
    if (copied_width != mask_width) {
        cudaMemcpyToSymbol(byte_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
        copied_width = mask_width;
    }
    size_t blocks = ((size_t)width * height + 127) / 128;
    conv_bytes_const<<<(unsigned int)blocks, 128>>>(in, width, height, mask_width, ghost, out);
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
            long long yy = idx_of(y - m / 2 + j, h, ghost);
            long long xx = idx_of(x - m / 2 + k, w, ghost);
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
