// expect: conv1d=function_missing conv2d_bytes=accepted
// convolve_1d takes an int where a std::size_t is declared, which makes it another function: the
// task is not solved, and the others are graded all the same.
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
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i)
            sum += mask[j * mask_width + i] * pixel(in, x - r + i, y - r + j, width, height, ghost);
    out[y * width + x] = sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    convolve<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, int n, const float* mask, int mask_width, int ghost, float* out) {
    cudaMemset(out, 0, n * sizeof *out);
}
