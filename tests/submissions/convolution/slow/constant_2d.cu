// expect: conv2d_bytes=accepted conv2d_float=accepted
// Two dimensions with the mask in constant memory and no tile: each pixel is read from global
// memory once per tap.
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

__constant__ unsigned char byte_taps[31 * 31];
__constant__ float float_taps[31 * 31];

template <class T>
__device__ T tap(int i);
template <>
__device__ unsigned char tap(int i) {
    return byte_taps[i];
}
template <>
__device__ float tap(int i) {
    return float_taps[i];
}

template <class T>
__global__ void convolve(const T* in, int width, int height, int mask_width, int ghost, T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int r = mask_width / 2;
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i)
            sum +=
                tap<T>(j * mask_width + i) * pixel(in, x - r + i, y - r + j, width, height, ghost);
    out[y * width + x] = sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(byte_taps, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const dim3 block(32, 8);
    const dim3 grid((width + 31) / 32, (height + 7) / 8);
    convolve<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const std::size_t bytes = mask_width * mask_width * sizeof(float);
    cudaMemcpyToSymbol(float_taps, mask, bytes, 0, cudaMemcpyDeviceToDevice);
    const dim3 block(32, 8);
    const dim3 grid((width + 31) / 32, (height + 7) / 8);
    convolve<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}
