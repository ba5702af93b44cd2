// cause: launch_refused line 48
// task: conv2d_float
// The block is as large as the input tile; with 16 outputs a side and masks from 19 on that is more than 1024 threads.
#include "interface.cuh"

__constant__ float kernelWeights[31][31];

__device__ int border(int i, int n, int ghost)
{
    if (ghost == 1) return min(max(i, 0), n - 1);
    if (ghost == 2) {
        int m = i % (2 * n);
        m = m < 0 ? m + 2 * n : m;
        return m < n ? m : 2 * n - 1 - m;
    }
    return i < 0 || i >= n ? -1 : i;
}

__global__ void convolveTile(const float* in, int width, int height, int maskWidth, int ghost, int tileOut, float* out)
{
    __shared__ float cell[32][32 + 1];
    const int r = maskWidth / 2;
    const int x = (int)blockIdx.x * tileOut + (int)threadIdx.x - r;
    const int y = (int)blockIdx.y * tileOut + (int)threadIdx.y - r;

    const int sx = border(x, width, ghost), sy = border(y, height, ghost);
    cell[threadIdx.y][threadIdx.x] = sx < 0 || sy < 0 ? 0.0f : in[(size_t)sy * width + sx];
    __syncthreads();

    // the threads of the halo rest
    const bool inner = threadIdx.x >= r && threadIdx.x < tileOut + r && threadIdx.y >= r && threadIdx.y < tileOut + r;
    if (!inner || x >= width || y >= height) return;

    float sum = 0;
    for (int j = -r; j <= r; ++j)
        for (int k = -r; k <= r; ++k)
            sum += kernelWeights[j + r][k + r] * cell[threadIdx.y + j][threadIdx.x + k];
    out[(size_t)y * width + x] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int maskWidth, int ghost, float* out)
{
    float* weights;
    cudaGetSymbolAddress((void**)&weights, kernelWeights);
    cudaMemcpy2D(weights, 31 * sizeof(float), mask, maskWidth * sizeof(float), maskWidth * sizeof(float), maskWidth,
                 cudaMemcpyDeviceToDevice);

    const int tileOut = 16;
    const int tileIn = tileOut + maskWidth - 1;
    dim3 block(tileIn, tileIn);
    dim3 grid((width + tileOut - 1) / tileOut, (height + tileOut - 1) / tileOut);
    convolveTile<<<grid, block>>>(in, width, height, maskWidth, ghost, tileOut, out);
}
