// cause: unsigned_index line 18
// task: conv1d
// 2 * n is unsigned, so a negative k becomes a huge number before % is taken: the mirror at the left edge is wrong unless n is a power of two.
#include "interface.cuh"

enum Ghost { ZERO = 0, REPLICATE = 1, MIRROR = 2 };

// value of the signal at k, which may be outside
__device__ float at(const float* in, std::size_t n, long long k, int ghost) {
    if (k >= 0 && k < (long long)n) return in[k];

    switch (ghost) {
        case ZERO:
            return 0.f;
        case REPLICATE:
            return k < 0 ? in[0] : in[n - 1];
        default:
            k = k % (2 * n);
            if (k < 0) k += 2 * n;
            if (k >= (long long)n) k = 2 * n - 1 - k;
            return in[k];
    }
}

__global__ void conv1d_kernel(const float* in, std::size_t n, const float* mask, int mask_width,
                              int ghost, float* out) {
    const int r = mask_width / 2;
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float sum = 0.f;
        for (int j = 0; j < mask_width; j++) sum += mask[j] * at(in, n, (long long)i - r + j, ghost);
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    std::size_t blocks = (n + 255) / 256;
    if (blocks > 1024) blocks = 1024;
    conv1d_kernel<<<(int)blocks, 256>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
