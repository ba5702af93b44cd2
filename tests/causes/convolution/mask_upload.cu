// cause: wrong_copy_direction line 53
// task: conv2d_float
// cudaMemcpyToSymbol is left at its default direction, host to device, though the mask is in device memory: it shows in every case
#include "interface.cuh"

constexpr int MAX_MASK = 31;
constexpr int BX = 32;
constexpr int BY = 8;

__constant__ float kernelWeights[MAX_MASK * MAX_MASK];

template <int GHOST>
__device__ __forceinline__ bool locate(int& k, int n)
{
    if (GHOST == 0)
        return k >= 0 && k < n;
    if (GHOST == 1)
        k = k < 0 ? 0 : (k >= n ? n - 1 : k);
    if (GHOST == 2)
        while (k < 0 || k >= n)
            k = k < 0 ? -1 - k : 2 * n - 1 - k;
    return true;
}

template <int GHOST>
__global__ void convolve(const float* __restrict__ in, int width, int height, int m, float* __restrict__ out)
{
    __shared__ float tile[BY + MAX_MASK - 1][BX + MAX_MASK - 1];
    const int r = m / 2;

    for (int ty = threadIdx.y; ty < BY + m - 1; ty += BY)
        for (int tx = threadIdx.x; tx < BX + m - 1; tx += BX) {
            int gx = blockIdx.x * BX + tx - r;
            int gy = blockIdx.y * BY + ty - r;
            const bool there = locate<GHOST>(gx, width) && locate<GHOST>(gy, height);
            tile[ty][tx] = there ? in[static_cast<std::size_t>(gy) * width + gx] : 0.0f;
        }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k)
                sum = fmaf(kernelWeights[j * m + k], tile[threadIdx.y + j][threadIdx.x + k], sum);
        out[static_cast<std::size_t>(y) * width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost, float* out)
{
    cudaMemcpyToSymbol(kernelWeights, mask, sizeof(float) * mask_width * mask_width);
    const dim3 block(BX, BY);
    const dim3 grid((width + BX - 1) / BX, (height + BY - 1) / BY);
    switch (ghost) {
    case 0: convolve<0><<<grid, block>>>(in, width, height, mask_width, out); break;
    case 1: convolve<1><<<grid, block>>>(in, width, height, mask_width, out); break;
    case 2: convolve<2><<<grid, block>>>(in, width, height, mask_width, out); break;
    }
}
