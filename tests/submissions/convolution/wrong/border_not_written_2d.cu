// expect: conv2d_bytes=unwritten_output conv2d_float=unwritten_output
// Only pixels whose whole neighbourhood is inside get a value; ghost cells are avoided by
// leaving the border out.
#include "interface.cuh"

template <class T>
__global__ void convolve(const T* in, int width, int height, const T* mask, int mask_width,
                         T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int r = mask_width / 2;
    if (x < r || y < r || x + r >= width || y + r >= height) return;
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i)
            sum += mask[j * mask_width + i] * in[(y - r + j) * width + x - r + i];
    out[y * width + x] = sum;
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
