// cause: saturated line 12
// task: conv2d_bytes
// A sum above 255 is cut off at 255 where it must be taken modulo 256; shows wherever the sum exceeds a byte.
#include "interface.cuh"

using byte = unsigned char;

__constant__ byte d_mask[31 * 31];

// pixels are from 0 to 255
__device__ byte toPixel(int v) {
    return v > 255 ? 255 : v;
}

template <int GHOST>
__device__ int ghostIndex(int k, int n) {
    if (GHOST == 1) {
        k = max(0, min(n - 1, k));
    } else if (GHOST == 2) {
        k = k % (2 * n);
        if (k < 0) k += 2 * n;
        if (k >= n) k = 2 * n - 1 - k;
    }
    return k;
}

template <int GHOST>
__global__ void convolve(const byte* in, int width, int height, int mask_width, byte* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    const int r = mask_width / 2;
    int sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const int yy = ghostIndex<GHOST>(y - r + j, height);
        for (int k = 0; k < mask_width; ++k) {
            const int xx = ghostIndex<GHOST>(x - r + k, width);
            if (xx >= 0 && xx < width && yy >= 0 && yy < height)
                sum += d_mask[j * mask_width + k] * in[yy * width + xx];
        }
    }
    out[y * width + x] = toPixel(sum);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(d_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);

    const dim3 block(16, 16);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    if (ghost == 0) convolve<0><<<grid, block>>>(in, width, height, mask_width, out);
    if (ghost == 1) convolve<1><<<grid, block>>>(in, width, height, mask_width, out);
    if (ghost == 2) convolve<2><<<grid, block>>>(in, width, height, mask_width, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
