// cause: mask_reversed line 50
// task: conv2d_float
// The taps are applied at the opposite offsets, as in a true convolution; shows for masks that are not symmetric.
#include "interface.cuh"

// Block as large as the input tile: the threads of the halo only load.
#define DIM 32

__constant__ float maskC[31][31];

__device__ bool locate(int *k, int n, int ghost)
{
    int v = *k;
    if (v < 0 || v >= n) {
        if (ghost == 0)
            return false;
        else if (ghost == 1)
            v = v < 0 ? 0 : n - 1;
        else {
            v %= 2 * n;
            if (v < 0) v += 2 * n;
            if (v >= n) v = 2 * n - 1 - v;
        }
    }
    *k = v;
    return true;
}

__global__ void conv(const float *in, float *out, int width, int height, int r, int ghost)
{
    __shared__ float tile[DIM][DIM];
    const int o = DIM - 2 * r;
    const int x = blockIdx.x * o + threadIdx.x - r;
    const int y = blockIdx.y * o + threadIdx.y - r;

    int xx = x, yy = y;
    float value = 0.0f;
    if (locate(&xx, width, ghost) && locate(&yy, height, ghost))
        value = in[(size_t)yy * width + xx];
    tile[threadIdx.y][threadIdx.x] = value;
    __syncthreads();

    const bool inner = threadIdx.x >= r && threadIdx.x < DIM - r && threadIdx.y >= r && threadIdx.y < DIM - r;
    if (!inner || x >= width || y >= height)
        return;

    float sum = 0.0f;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++)
            sum += maskC[r + dy][r + dx] * tile[threadIdx.y - dy][threadIdx.x - dx];
    out[(size_t)y * width + x] = sum;
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost,
                       float *out)
{
    const int r = mask_width / 2;
    const int o = DIM - 2 * r;
    void *symbol;

    cudaGetSymbolAddress(&symbol, maskC);
    cudaMemcpy2D(symbol, 31 * sizeof(float), mask, mask_width * sizeof(float), mask_width * sizeof(float),
                 mask_width, cudaMemcpyDeviceToDevice);
    conv<<<dim3((width + o - 1) / o, (height + o - 1) / o), dim3(DIM, DIM)>>>(in, out, width, height, r, ghost);
}
