// expect: conv1d=out_of_bounds conv2d_float=out_of_bounds
// expect-gpu: conv1d=wrong_answer|out_of_bounds conv2d_float=wrong_answer|out_of_bounds
// report: out_of_bounds 18
// A reflection is done once. Where the mask is wider than the signal, the reflected index is
// outside again, on the other side.
#include "interface.cuh"

__device__ int place(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    return k < 0 ? -1 - k : 2 * n - 1 - k;
}

template <class T>
__device__ T pixel(const T* in, int x, int y, int width, int height, int ghost) {
    const bool zero = ghost == 0 && (x < 0 || x >= width || y < 0 || y >= height);
    return zero ? T(0) : in[place(y, height, ghost) * width + place(x, width, ghost)];
}

template <class T>
__global__ void convolve(const T* in, int width, int height, const T* mask, int mask_width,
                         int ghost, T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int r = mask_width / 2;
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i)
            sum += mask[j * mask_width + i] * pixel(in, x - r + i, y - r + j, width, height, ghost);
    out[y * width + x] = sum;
}

__global__ void convolve_line(const float* in, int n, const float* mask, int mask_width, int ghost,
                              float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j)
        sum += mask[j] * pixel(in, i - mask_width / 2 + j, 0, n, 1, ghost);
    out[i] = sum;
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
