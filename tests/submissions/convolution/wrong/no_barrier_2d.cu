// expect: conv2d_float=data_race
// report: missing_syncwarp 30 34, shared_race 30 34
// Two dimensions without a barrier after the tile is loaded.
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
    extern __shared__ unsigned char shared[];
    T* const tile = reinterpret_cast<T*>(shared);
    const int r = mask_width / 2, side = 16 + 2 * r, thread = threadIdx.y * 16 + threadIdx.x;
    const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    for (int k = thread; k < side * side; k += 256)
        tile[k] = pixel(in, x0 - r + k % side, y0 - r + k / side, width, height, ghost);
    T sum = 0;
    for (int j = 0; j < mask_width; ++j)
        for (int i = 0; i < mask_width; ++i)
            sum += mask[j * mask_width + i] * tile[(threadIdx.y + j) * side + threadIdx.x + i];
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const int side = 16 + mask_width - 1;
    const std::size_t bytes = side * side * sizeof(float);
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    convolve<<<grid, block, bytes>>>(in, width, height, mask, mask_width, ghost, out);
}
