// cause: transposed line 45
// task: conv2d_float
// The mask is read column by column instead of row by row, so the result is wrong for every mask that is not symmetric about its diagonal.
#include "interface.cuh"

namespace {

__constant__ float c_mask[31 * 31];

struct Image {
    const float* data;
    int width, height, ghost;

    __device__ static int fold(int k, int n, int ghost) {
        if (k >= 0 && k < n) return k;
        if (ghost == 1) return k < 0 ? 0 : n - 1;
        k = ((k % (2 * n)) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }

    __device__ float at(int x, int y) const {
        const bool outside = x < 0 || x >= width || y < 0 || y >= height;
        if (outside && ghost == 0) return 0.0f;
        return data[fold(y, height, ghost) * (size_t)width + fold(x, width, ghost)];
    }
};

// Every thread computes a column of four outputs. An input of row c is needed by all the outputs p
// of the column for which c - p is a row of the mask.
constexpr int kColumn = 4;

__global__ void columns(Image image, int m, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y0 = (blockIdx.y * blockDim.y + threadIdx.y) * kColumn;
    if (x >= image.width) return;

    const int r = m / 2;
    float sums[kColumn] = {};
    for (int c = 0; c < m + kColumn - 1; ++c) {
        for (int k = 0; k < m; ++k) {
            const float v = image.at(x - r + k, y0 - r + c);
#pragma unroll
            for (int p = 0; p < kColumn; ++p) {
                const int j = c - p;
                if (j >= 0 && j < m) sums[p] += c_mask[k * m + j] * v;
            }
        }
    }
    for (int p = 0; p < kColumn; ++p)
        if (y0 + p < image.height) out[(y0 + p) * (size_t)image.width + x] = sums[p];
}

}  // namespace

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out) {
    cudaMemcpyToSymbol(c_mask, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const dim3 block(32, 4);
    const dim3 grid((width + 31) / 32, (height + 4 * kColumn - 1) / (4 * kColumn));
    columns<<<grid, block>>>(Image{in, width, height, ghost}, mask_width, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}
void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int, unsigned char*) {}
