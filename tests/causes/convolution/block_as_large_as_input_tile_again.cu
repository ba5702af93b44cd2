// cause: transposed line 51
// task: conv2d_bytes
// The grid has as many columns as the height needs and as many rows as the width needs, so that parts of an image that is not nearly square are never computed.
#include "interface.cuh"

// A block of 32 x 32 threads loads 32 x 32 cells, one each. Only the inner threads compute.
constexpr int side = 32;

__constant__ unsigned char weights[31 * 31];

__device__ int find(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return min(max(k, 0), n - 1);
    int m = ((k % (2 * n)) + 2 * n) % (2 * n);
    return min(m, 2 * n - 1 - m);
}

__global__ void kernel(const unsigned char* in, int width, int height, int mask_width, int ghost,
                       unsigned char* out) {
    __shared__ unsigned char cell[side][side];
    const int r = mask_width / 2;
    const int inner = side - 2 * r;  // 2 for the largest mask
    const int x = blockIdx.x * inner + threadIdx.x - r;
    const int y = blockIdx.y * inner + threadIdx.y - r;

    const int column = find(x, width, ghost);
    const int row = find(y, height, ghost);
    cell[threadIdx.y][threadIdx.x] =
        column >= 0 && row >= 0 ? in[std::size_t(row) * width + column] : 0;
    __syncthreads();

    const int tx = threadIdx.x - r, ty = threadIdx.y - r;
    if (tx < 0 || ty < 0 || tx >= inner || ty >= inner || x >= width || y >= height) return;

    unsigned int sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        for (int k = 0; k < mask_width; ++k) {
            sum += weights[j * mask_width + k] * cell[ty + j][tx + k];
        }
    }
    out[std::size_t(y) * width + x] = sum & 255;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(weights, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const int inner = side - (mask_width - 1);
    const int rows = (height + inner - 1) / inner;
    const int columns = (width + inner - 1) / inner;
    kernel<<<dim3(rows, columns), dim3(side, side)>>>(in, width, height, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
