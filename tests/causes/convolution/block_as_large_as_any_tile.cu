// cause: launch_refused line 51
// task: conv2d_float
// The block is as large as the input tile, but the output tile stays 16 x 16 for wide masks too: from 19 taps on a block has more than
// 1024 threads, and the launch is refused.
#include "interface.cuh"

// Variant with a block as large as the INPUT tile: every thread loads one pixel, the threads
// of the halo then rest.

__constant__ float taps[961];

template <typename Policy>
__global__ void convolve(const float* in, int width, int height, int mask_width, float* out) {
    extern __shared__ float pixels[];
    const int radius = mask_width / 2;
    const int tile = blockDim.x - 2 * radius;
    const int x = blockIdx.x * tile + threadIdx.x - radius;
    const int y = blockIdx.y * tile + threadIdx.y - radius;

    const int sx = Policy::at(x, width), sy = Policy::at(y, height);
    pixels[threadIdx.y * blockDim.x + threadIdx.x] =
        sx >= 0 && sy >= 0 ? in[static_cast<std::size_t>(sy) * width + sx] : 0.0f;
    __syncthreads();

    const int tx = threadIdx.x - radius, ty = threadIdx.y - radius;
    if (tx < 0 || ty < 0 || tx >= tile || ty >= tile || x >= width || y >= height) return;
    float sum = 0.0f;
    for (int j = 0; j < mask_width; ++j)
        for (int k = 0; k < mask_width; ++k)
            sum += taps[j * mask_width + k] * pixels[(ty + j) * blockDim.x + tx + k];
    out[static_cast<std::size_t>(y) * width + x] = sum;
}

struct Zero {
    static __device__ int at(int k, int n) { return k < n ? max(k, -1) : -1; }
};
struct Replicate {
    static __device__ int at(int k, int n) { return min(max(k, 0), n - 1); }
};
struct Mirror {
    static __device__ int at(int k, int n) {
        k = (k % (2 * n) + 2 * n) % (2 * n);
        return min(k, 2 * n - 1 - k);
    }
};

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(taps, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    const int tile = 16;
    const int side = tile + mask_width - 1;
    const dim3 block(side, side);
    const dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    const std::size_t bytes = sizeof(float) * side * side;
    switch (ghost) {
        case 0: convolve<Zero><<<grid, block, bytes>>>(in, width, height, mask_width, out); break;
        case 1: convolve<Replicate><<<grid, block, bytes>>>(in, width, height, mask_width, out); break;
        default: convolve<Mirror><<<grid, block, bytes>>>(in, width, height, mask_width, out);
    }
}
