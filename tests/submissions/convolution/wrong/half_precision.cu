// expect: conv1d=wrong_answer conv2d_float=wrong_answer
// Products and sums in half precision: the shape of the result is right, and three digits of it.
#include <cuda_fp16.h>

#include "interface.cuh"

// The index that stands for k in a signal of n elements; -1 for a zero.
__device__ int place(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = (k % (2 * n) + 2 * n) % (2 * n);
    return k < n ? k : 2 * n - 1 - k;
}

template <class T>
__device__ T pixel(const T* in, int x, int y, int width, int height, int ghost) {
    x = place(x, width, ghost);
    y = place(y, height, ghost);
    return x < 0 || y < 0 ? T(0) : in[y * width + x];
}

template <class T>
__global__ void convolve(const T* in, int width, int height, const T* mask, int mask_width,
                         int ghost, T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int r = mask_width / 2;
    __half sum = 0.0f;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i) {
            const float from = pixel(in, x - r + i, y - r + j, width, height, ghost);
            sum = __hfma(__float2half(mask[j * mask_width + i]), __float2half(from), sum);
        }
    out[y * width + x] = __half2float(sum);
}

__global__ void convolve_line(const float* in, int n, const float* mask, int mask_width, int ghost,
                              float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half sum = 0.0f;
    for (int j = 0; j < mask_width; ++j)
        sum = __hfma(__float2half(mask[j]),
                     __float2half(pixel(in, i - mask_width / 2 + j, 0, n, 1, ghost)), sum);
    out[i] = __half2float(sum);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve_line<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    convolve<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}
