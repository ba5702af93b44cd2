// cause: tail_ignored line 35
// task: conv2d_bytes
// A thread computes four pixels of a row, and the number of such groups is rounded down, so the last one to three columns are never written; shows when the width is no multiple of 4.
#include "interface.cuh"

#include <stdint.h>

static constexpr int kMaxWidth = 31;

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

template <int Policy>
__device__ int ghostIndex(int k, int n) {
    if (Policy == 1) return k < 0 ? 0 : k >= n ? n - 1 : k;
    if (Policy == 2) {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k >= n ? 2 * n - 1 - k : k;
    }
    return k < 0 || k >= n ? -1 : k;
}

// Each thread slides along a row of the mask and keeps the sums of four neighbouring pixels.
template <int Policy>
__global__ void conv4(const uint8_t* __restrict__ in, int width, int height,
                      const uint8_t* __restrict__ mask, int m, uint8_t* __restrict__ out) {
    __shared__ uint8_t weight[kMaxWidth * kMaxWidth];
    const int id = threadIdx.y * blockDim.x + threadIdx.x;
    for (int k = id; k < m * m; k += blockDim.x * blockDim.y) weight[k] = mask[k];
    __syncthreads();

    const int groups = width / 4;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int r = m / 2;
    if (y >= height) return;

    for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += gridDim.x * blockDim.x) {
        const int x = 4 * g;
        uint32_t sum[4] = {0, 0, 0, 0};
        for (int j = 0; j < m; ++j) {
            const int row = ghostIndex<Policy>(y - r + j, height);
            if (row < 0) continue;
            const uint8_t* line = in + (size_t)row * width;
            for (int k = 0; k < m + 3; ++k) {
                const int col = ghostIndex<Policy>(x - r + k, width);
                const uint32_t pixel = col < 0 ? 0 : line[col];
                for (int q = 0; q < 4; ++q)
                    if (k - q >= 0 && k - q < m) sum[q] += weight[j * m + k - q] * pixel;
            }
        }
        for (int q = 0; q < 4; ++q)
            if (x + q < width) out[(size_t)y * width + x + q] = (uint8_t)sum[q];
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const dim3 block(32, 4);
    const dim3 grid((width + 127) / 128, (height + 3) / 4);
    if (ghost == 0) conv4<0><<<grid, block>>>(in, width, height, mask, mask_width, out);
    if (ghost == 1) conv4<1><<<grid, block>>>(in, width, height, mask, mask_width, out);
    if (ghost == 2) conv4<2><<<grid, block>>>(in, width, height, mask, mask_width, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
