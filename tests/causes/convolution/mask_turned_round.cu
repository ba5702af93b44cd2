// cause: mask_reversed line 26
// task: conv1d
// The mask is turned round (as in the mathematical convolution): wrong for all masks that are not symmetric.
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

// out[i] = sum of mask[j] * in[i + r - j]: four outputs for each thread
__global__ void conv4(const float* in, long long n, const float* mask, int mask_width, int ghost,
                      float* out) {
    const int r = mask_width / 2;
    const long long all = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (int q = 0; q < 4; q++, i += all) {
        if (i >= n) break;
        float sum = 0.f;
        for (int j = 0; j < mask_width; j++) {
            long long k = neighbour(i + r - j, n, ghost);
            if (k != -1) sum = fmaf(mask[j], in[k], sum);
        }
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int threads = 256;
    const unsigned int blocks = (unsigned int)((n + 4 * threads - 1) / (4 * threads));
    conv4<<<blocks, threads>>>(in, (long long)n, mask, mask_width, ghost, out);
}

// one kernel for bytes and floats; Sum is the type of the sum
template <typename T, typename Sum>
__global__ void conv2(const T* in, int width, int height, const T* mask, int m, int ghost, T* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (long long)width * height) return;
    int y = (int)(p / width), x = (int)(p % width), r = m / 2;
    Sum sum = 0;
    for (int j = 0; j < m; j++) {
        long long row = neighbour(y - r + j, height, ghost);
        for (int k = 0; k < m; k++) {
            long long col = neighbour(x - r + k, width, ghost);
            if (row >= 0 && col >= 0) sum += (Sum)mask[j * m + k] * (Sum)in[row * width + col];
        }
    }
    out[p] = (T)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<unsigned char, unsigned int><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<float, float><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}
