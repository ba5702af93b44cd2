// cause: ghost_policy line 23
// task: conv2d_bytes
// a cell further outside than the image is large is mirrored once and is still outside
#include "interface.cuh"

// Two-dimensional convolution of bytes with a tile of 16 x 16 outputs per block.
constexpr int T = 16;
constexpr int kMaxMask = 31;
constexpr int kMaxTile = T + kMaxMask - 1;

__constant__ unsigned char maskC[kMaxMask * kMaxMask];

// Which row (or column) stands for number k? -1: none, it counts as zero.
__device__ int lookup(int k, int n, int ghost) {
    const auto outside = [n](int i) { return i < 0 || i >= n; };
    switch (ghost) {
        case 0:
            return outside(k) ? -1 : k;
        case 1:
            if (k < 0) return 0;
            return k < n ? k : n - 1;
        default:
            if (outside(k)) {
                k = k < 0 ? -1 - k : 2 * n - 1 - k;
            }
            return k;
    }
}

__global__ void conv_bytes(const unsigned char* image, int width, int height, int m, int ghost,
                           unsigned char* result) {
    __shared__ unsigned char tile[kMaxTile][kMaxTile + 2];

    const int r = m / 2;
    const int left = blockIdx.x * T - r;
    const int top = blockIdx.y * T - r;

    // load tile and halo, in steps of the block's size
    for (int dy = threadIdx.y; dy < T + m - 1; dy += T) {
        const int row = lookup(top + dy, height, ghost);
        for (int dx = threadIdx.x; dx < T + m - 1; dx += T) {
            const int col = lookup(left + dx, width, ghost);
            unsigned char v = 0;
            if (row != -1 && col != -1) v = image[(size_t)row * width + col];
            tile[dy][dx] = v;
        }
    }
    __syncthreads();

    const int x = blockIdx.x * T + threadIdx.x;
    const int y = blockIdx.y * T + threadIdx.y;
    if (x >= width || y >= height) return;

    unsigned sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++)
            sum += maskC[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
    result[(size_t)y * width + x] = sum % 256;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(maskC, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const dim3 block(T, T);
    const dim3 grid((width + T - 1) / T, (height + T - 1) / T);
    conv_bytes<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
