// cause: transposed line 54
// task: conv2d_float
// The macro takes the column first, but is called with the row first, so the mask is used with rows and columns exchanged; shows with every mask that is not symmetric about its diagonal.
#include "interface.cuh"

#define SIDE 32                              // threads per side = side of the input tile
#define TAP(x, y) w[(y) * mask_width + (x)]

__constant__ float w[31 * 31];

// where is k? ok = false if there is nothing
__device__ int where(int k, int n, int ghost, bool* ok)
{
    *ok = true;
    if (0 <= k && k < n) return k;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    if (ghost == 2)
    {
        k = k % (2 * n);
        if (k < 0) k += 2 * n;
        if (k >= n) k = 2 * n - 1 - k;
        return k;
    }
    *ok = false;
    return 0;
}

__global__ void conv(const float* in, int width, int height, int mask_width, int ghost, float* out)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int r = mask_width / 2;
    int out_side = SIDE - 2 * r;

    // all threads load
    int x = blockIdx.x * out_side + threadIdx.x - r;
    int y = blockIdx.y * out_side + threadIdx.y - r;
    bool x_ok, y_ok;
    int gx = where(x, width, ghost, &x_ok);
    int gy = where(y, height, ghost, &y_ok);
    tile[threadIdx.y][threadIdx.x] = x_ok && y_ok ? in[(size_t)gy * width + gx] : 0.0f;
    __syncthreads();

    // the threads of the halo rest
    bool computes = threadIdx.x >= r && threadIdx.x < r + out_side &&
                    threadIdx.y >= r && threadIdx.y < r + out_side;
    if (!computes || x >= width || y >= height) return;

    float sum = 0.0f;
    for (int j = 0; j < mask_width; j++)
    {
        for (int k = 0; k < mask_width; k++)
        {
            float value = tile[threadIdx.y - r + j][threadIdx.x - r + k];
            sum += TAP(j, k) * value;
        }
    }
    out[(size_t)y * width + x] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}
void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    int out_side = SIDE - mask_width + 1;
    dim3 block(SIDE, SIDE);
    dim3 grid((width + out_side - 1) / out_side, (height + out_side - 1) / out_side);
    cudaMemcpyToSymbol(w, mask, mask_width * mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    conv<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}
