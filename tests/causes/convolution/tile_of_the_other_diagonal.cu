// cause: transposed line 42
// task: conv2d_float
// the tile is filled with row and column exchanged in the call: wrong in all images but those of a single pixel
#include "interface.cuh"

#define TILE 16
#define MAX_WIDTH 31

__constant__ float c_mask[MAX_WIDTH * MAX_WIDTH];

struct Image {
    const float* data;
    int rows, columns, ghost;

    static __device__ int inside(int k, int n, int ghost) {
        if (k >= 0 && k < n) return k;
        if (ghost == 0) return -1;
        if (ghost == 1) return k < 0 ? 0 : n - 1;
        // there and back again
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }

    __device__ float operator()(int row, int column) const {
        row = inside(row, rows, ghost);
        column = inside(column, columns, ghost);
        if (row < 0 || column < 0) return 0.f;
        return data[static_cast<std::size_t>(row) * columns + column];
    }
};

// The part of the image that a block needs, halo and corners included.
struct Window {
    float* cells;
    int edge;  // cells in a row

    __device__ float& operator()(int row, int column) { return cells[row * edge + column]; }

    __device__ void fill(const Image& image, int top, int left) {
        for (int y = threadIdx.y; y < edge; y += TILE)
            for (int x = threadIdx.x; x < edge; x += TILE) (*this)(y, x) = image(left + x, top + y);
    }
};

__global__ void smooth(Image image, int mask_width, float* out) {
    extern __shared__ float cells[];
    Window window{cells, TILE + mask_width - 1};
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE, r = mask_width / 2;
    window.fill(image, top - r, left - r);
    __syncthreads();

    const int y = top + threadIdx.y, x = left + threadIdx.x;
    if (y >= image.rows || x >= image.columns) return;
    float sum = 0.f;
    const float* weight = c_mask;
    for (int j = 0; j < mask_width; ++j) {
#pragma unroll 4
        for (int i = 0; i < mask_width; ++i)
            sum = fmaf(*weight++, window(threadIdx.y + j, threadIdx.x + i), sum);
    }
    out[static_cast<std::size_t>(y) * image.columns + x] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(c_mask, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    const int edge = TILE + mask_width - 1;
    const dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, TILE);
    smooth<<<grid, block, edge * edge * sizeof(float)>>>(Image{in, height, width, ghost},
                                                         mask_width, out);
}
