// cause: wrong_stride line 30
// task: conv2d_float
// The loop over the rows of the tile steps by the width of the block (32) instead of its height (8), so most rows of the tile are never loaded.
#include "interface.cuh"

constexpr int bw = 32;  // a block has 32 x 8 threads
constexpr int bh = 8;   // and computes as many outputs
constexpr int max_mask = 31;

__device__ int source(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void convolve_tiles(const float* in, int width, int height, const float* mask, int m, int ghost,
                               float* out) {
    __shared__ float tile[bh + max_mask - 1][bw + max_mask - 1];
    __shared__ float taps[max_mask * max_mask];

    const int r = m / 2;
    const int left = blockIdx.x * bw - r;
    const int top = blockIdx.y * bh - r;

    for (int t = threadIdx.y * bw + threadIdx.x; t < m * m; t += bw * bh) taps[t] = mask[t];

    for (int y = threadIdx.y; y < bh + m - 1; y += blockDim.x) {
        const int sy = source(top + y, height, ghost);
        for (int x = threadIdx.x; x < bw + m - 1; x += blockDim.x) {
            const int sx = source(left + x, width, ghost);
            tile[y][x] = sx < 0 || sy < 0 ? 0.0f : in[(size_t)sy * width + sx];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * bw + threadIdx.x;
    const int y = blockIdx.y * bh + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            sum += taps[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
    out[(size_t)y * width + x] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out) {
    const dim3 block(bw, bh);
    const dim3 grid((width + bw - 1) / bw, (height + bh - 1) / bh);
    convolve_tiles<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}
void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int, unsigned char*) {}
