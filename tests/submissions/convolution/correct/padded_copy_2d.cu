// expect: conv2d_bytes=accepted conv2d_float=accepted
// The ghost cells are written out: a first kernel makes a copy of the image with a margin, and
// the convolution of the copy needs no conditions at all.
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
__global__ void pad(const T* in, int width, int height, int r, int ghost, T* wide) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width + 2 * r && y < height + 2 * r)
        wide[y * (width + 2 * r) + x] = pixel(in, x - r, y - r, width, height, ghost);
}

template <class T>
__global__ void convolve(const T* wide, int width, int height, const T* mask, int mask_width,
                         T* out) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height) return;
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i)
            sum += mask[j * mask_width + i] * wide[(y + j) * (width + mask_width - 1) + x + i];
    out[y * width + x] = sum;
}

template <class T>
void run(const T* in, int width, int height, const T* mask, int mask_width, int ghost, T* out) {
    const int w = width + mask_width - 1, h = height + mask_width - 1;
    T* wide = nullptr;
    cudaMalloc(&wide, sizeof(T) * w * h);
    const dim3 block(16, 16);
    const dim3 cells((w + 15) / 16, (h + 15) / 16), pixels((width + 15) / 16, (height + 15) / 16);
    pad<<<cells, block>>>(in, width, height, mask_width / 2, ghost, wide);
    convolve<<<pixels, block>>>(wide, width, height, mask, mask_width, out);
    cudaFree(wide);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    run(in, width, height, mask, mask_width, ghost, out);
}
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    run(in, width, height, mask, mask_width, ghost, out);
}
