// cause: launch_swapped line 62
// task: conv2d_bytes
// The block comes before the grid in the launch, so a block gets one thread per 16 x 16 tile of the image; shows when that is more than 1024 threads, and small images come out right.
#include "interface.cuh"

typedef unsigned char byte;

struct Image
{
    const byte* pixels;
    int width;
    int height;
};

__constant__ byte weights[31 * 31];

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

// returns -1 for "no element: take zero"
__device__ int inside(int k, int n, int ghost)
{
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return min(max(k, 0), n - 1);
    int period = 2 * n;
    k = ((k % period) + period) % period;
    return k < n ? k : period - 1 - k;
}

__global__ void convolution_kernel(Image img, int m, int ghost, byte* result)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= img.width || y >= img.height) return;

    unsigned int sum = 0;
    for (int j = 0; j < m; ++j)
    {
        int row = inside(y - m / 2 + j, img.height, ghost);
        if (row < 0) continue;
        for (int k = 0; k < m; ++k)
        {
            int col = inside(x - m / 2 + k, img.width, ghost);
            if (col < 0) continue;
            sum += weights[j * m + k] * img.pixels[(size_t)row * img.width + col];
        }
    }
    result[(size_t)y * img.width + x] = (byte)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    Image img = {in, width, height};
    cudaMemcpyToSymbol(weights, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);

    dim3 block(16, 16);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    convolution_kernel<<<block, grid>>>(img, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
