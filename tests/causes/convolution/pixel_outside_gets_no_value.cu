// cause: uninitialised_variable line 39
// task: conv2d_float
// The pixel that is put into the tile gets no value when it lies outside and the ghost cells are zero: the edges of the image are made of whatever is in the register.
#include "interface.cuh"

// 32 x 8 threads compute 32 x 32 pixels: each thread has a column of four outputs, eight rows apart.
// Tile and halo are in dynamic shared memory, as large as this mask needs it.

constexpr int TX = 32;
constexpr int TY = 8;
constexpr int ROWS = 4;
constexpr int TILE_H = TY * ROWS;
constexpr int MAX_MASK = 31;

__constant__ float c_mask[MAX_MASK * MAX_MASK];

__host__ __device__ constexpr int padded(int outputs, int mask_width) {
    return outputs + mask_width - 1;
}

// For indices outside of 0 ... n - 1 with ghost policy 1 (replicate) or 2 (mirror).
__device__ __forceinline__ int nearest(int k, int n, int ghost) {
    if (ghost == 1) return min(max(k, 0), n - 1);
    int m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return min(m, 2 * n - 1 - m);
}

__device__ void load_tile(const float* __restrict__ in, int width, int height, int radius,
                          int ghost, float* tile, int tile_w, int tile_h) {
    const int left = static_cast<int>(blockIdx.x) * TX - radius;
    const int top = static_cast<int>(blockIdx.y) * TILE_H - radius;
    const int t = threadIdx.y * TX + threadIdx.x;

    for (int e = t; e < tile_w * tile_h; e += TX * TY) {
        int x = left + e % tile_w;
        int y = top + e / tile_w;
        const bool inside = x >= 0 && x < width && y >= 0 && y < height;
        float pixel;
        if (inside) {
            pixel = in[static_cast<std::size_t>(y) * width + x];
        } else if (ghost != 0) {
            x = nearest(x, width, ghost);
            y = nearest(y, height, ghost);
            pixel = in[static_cast<std::size_t>(y) * width + x];
        }
        tile[e] = pixel;
    }
}

__global__ void conv_columns(const float* __restrict__ in, int width, int height, int mask_width,
                             int ghost, float* __restrict__ out) {
    extern __shared__ float tile[];
    const int tile_w = padded(TX, mask_width);
    load_tile(in, width, height, mask_width / 2, ghost, tile, tile_w, padded(TILE_H, mask_width));
    __syncthreads();

    float acc[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int j = 0; j < mask_width; ++j) {
        const float* row = tile + (threadIdx.y + j) * tile_w + threadIdx.x;
        for (int k = 0; k < mask_width; ++k) {
            const float w = c_mask[j * mask_width + k];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) acc[r] += w * row[r * TY * tile_w + k];
        }
    }

    const int x = blockIdx.x * TX + threadIdx.x;
    if (x >= width) return;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int y = blockIdx.y * TILE_H + r * TY + threadIdx.y;
        if (y < height) out[static_cast<std::size_t>(y) * width + x] = acc[r];
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(c_mask, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    const dim3 threads(TX, TY);
    const dim3 blocks((width + TX - 1) / TX, (height + TILE_H - 1) / TILE_H);
    const std::size_t shared =
        sizeof(float) * padded(TX, mask_width) * padded(TILE_H, mask_width);
    conv_columns<<<blocks, threads, shared>>>(in, width, height, mask_width, ghost, out);
}
