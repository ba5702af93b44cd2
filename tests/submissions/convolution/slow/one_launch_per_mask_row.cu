// expect: conv2d_bytes=accepted conv2d_float=accepted
// One launch per row of the mask, each of which adds its part to the output: the order of
// launches is the only synchronisation, and the image passes through memory once per row.
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
__global__ void add_row(const T* in, int width, int height, const T* mask, int mask_width,
                        int ghost, int j, T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int r = mask_width / 2;
    T sum = 0;
    for (int i = 0; i < mask_width; ++i)
        sum += mask[j * mask_width + i] * pixel(in, x - r + i, y - r + j, width, height, ghost);
    out[y * width + x] = j == 0 ? sum : T(out[y * width + x] + sum);
}

template <class T>
void run(const T* in, int width, int height, const T* mask, int mask_width, int ghost, T* out) {
    const dim3 block(32, 4), grid((width + 31) / 32, (height + 3) / 4);
    for (int j = 0; j < mask_width; ++j)
        add_row<<<grid, block>>>(in, width, height, mask, mask_width, ghost, j, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    run(in, width, height, mask, mask_width, ghost, out);
}
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    run(in, width, height, mask, mask_width, ghost, out);
}
