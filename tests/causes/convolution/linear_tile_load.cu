// cause: transposed line 41
// task: conv2d_bytes
// The tile is stored with rows and columns exchanged but read row by row; shows for every mask and image that are not symmetric.
#include "interface.cuh"

#define T 16
#define TMAX (T + 30)
typedef unsigned char uchar;

__device__ bool lookup(int* k, int n, int ghost)
{
    if (*k >= 0 && *k < n)
        return true;
    if (ghost == 0)
        return false;
    if (ghost == 1) {
        *k = *k < 0 ? 0 : n - 1;
        return true;
    }
    while (*k < 0 || *k >= n)
        *k = *k < 0 ? -*k - 1 : 2 * n - 1 - *k;
    return true;
}

__global__ void conv_bytes(const uchar* in, int width, int height, const uchar* mask, int m,
                           int ghost, uchar* out)
{
    __shared__ uchar tile[TMAX][TMAX];
    int side = T + m - 1;
    int id = threadIdx.y * T + threadIdx.x;

    /* all threads together load side * side elements */
    for (int s = id; s < side * side; s += T * T) {
        int row = s / side;
        int col = s % side;
        int y = blockIdx.y * T + row - m / 2;
        int x = blockIdx.x * T + col - m / 2;
        uchar v = 0;
        if (lookup(&y, height, ghost) && lookup(&x, width, ghost))
            v = in[y * width + x];
        tile[col][row] = v;
    }
    __syncthreads();

    int x = blockIdx.x * T + threadIdx.x;
    int y = blockIdx.y * T + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int j = 0; j < m; j++)
        for (int k = 0; k < m; k++)
            sum += mask[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
    out[y * width + x] = (uchar)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    dim3 grid((width + T - 1) / T, (height + T - 1) / T);
    conv_bytes<<<grid, dim3(T, T)>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
