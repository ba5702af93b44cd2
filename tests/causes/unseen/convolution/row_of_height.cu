// cause: transposed line 27
// task: conv2d_bytes
// In the test whether a cell lies in the image, rows are held against the width and columns against the height; right for square images only.
#include "interface.cuh"

__constant__ unsigned char M[31 * 31];

__device__ int mirrored(int k, int n)
{
    const int p = k < 0 ? -k - 1 : k;
    const int q = p % (2 * n);
    return q < n ? q : 2 * n - 1 - q;
}

struct Image {
    const unsigned char* data;
    int width, height, ghost;

    __device__ unsigned at(int row, int col) const
    {
        if (ghost == 2) {
            row = mirrored(row, height);
            col = mirrored(col, width);
        } else if (ghost == 1) {
            row = min(max(row, 0), height - 1);
            col = min(max(col, 0), width - 1);
        } else if (row < 0 || row >= width || col < 0 || col >= height) {
            return 0;
        }
        return data[row * width + col];
    }
};

// one thread per column of four outputs
__global__ void convBytes(Image img, int m, unsigned char* out)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row0 = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    const int r = m / 2;
    if (col >= img.width)
        return;

    unsigned acc[4] = {0, 0, 0, 0};
    for (int dy = 0; dy < m + 3; ++dy) {
        for (int dx = 0; dx < m; ++dx) {
            if (row0 + dy - r >= img.height + r)
                break;
            const unsigned p = img.at(row0 + dy - r, col + dx - r);
#pragma unroll
            for (int q = 0; q < 4; ++q)
                if (dy - q >= 0 && dy - q < m)
                    acc[q] += p * M[(dy - q) * m + dx];
        }
    }
    for (int q = 0; q < 4 && row0 + q < img.height; ++q)
        out[(row0 + q) * img.width + col] = (unsigned char)acc[q];
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out)
{
    cudaMemcpyToSymbol(M, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 threads(32, 4);
    dim3 blocks((width + 31) / 32, (height + 15) / 16);
    convBytes<<<blocks, threads>>>(Image{in, width, height, ghost}, mask_width, out);
}
