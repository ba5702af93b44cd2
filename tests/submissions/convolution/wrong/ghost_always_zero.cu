// expect: conv1d=wrong_answer conv2d_bytes=wrong_answer conv2d_float=wrong_answer
// Ghost cells are zero whatever the policy asks for.
#include "interface.cuh"

__global__ void convolve_line(const float* in, int n, const float* mask, int mask_width,
                              float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const int k = i - mask_width / 2 + j;
        if (k >= 0 && k < n) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

template <class T>
__global__ void convolve(const T* in, int width, int height, const T* mask, int mask_width,
                         T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int r = mask_width / 2;
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i) {
            const int row = y - r + j, column = x - r + i;
            if (row >= 0 && row < height && column >= 0 && column < width)
                sum += mask[j * mask_width + i] * in[row * width + column];
        }
    out[y * width + x] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve_line<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int, unsigned char* out) {
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    convolve<<<grid, block>>>(in, width, height, mask, mask_width, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int, float* out) {
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    convolve<<<grid, block>>>(in, width, height, mask, mask_width, out);
}
