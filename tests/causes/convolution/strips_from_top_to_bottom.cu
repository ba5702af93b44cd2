// cause: divergent_barrier line 31
// task: conv2d_float
// Each thread leaves the loop over strips by its own row, and in the last strip the threads below the image do not reach the barriers.
#include "interface.cuh"

#define TX 32
#define TY 8
#define MAX_R 15

__constant__ float weights[31 * 31];

__device__ __forceinline__ int resolve(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    int period = 2 * n;
    k = k % period;
    if (k < 0) k += period;
    return k >= n ? period - 1 - k : k;
}

// A column of blocks walks down the image, one strip of TY rows after the other.
__global__ void strips(const float* __restrict__ in, int width, int height, int mask_width,
                       int ghost, float* __restrict__ out) {
    __shared__ float tile[TY + 2 * MAX_R][TX + 2 * MAX_R];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = mask_width / 2;
    const int left = blockIdx.x * TX;

    for (int y = blockIdx.y * TY + ty; y < height; y += gridDim.y * TY) {
        const int top = y - ty;
        for (int row = ty; row < TY + 2 * r; row += TY) {
            const int gy = resolve(top - r + row, height, ghost);
            for (int col = tx; col < TX + 2 * r; col += TX) {
                const int gx = resolve(left - r + col, width, ghost);
                tile[row][col] = (gx >= 0 && gy >= 0) ? in[(size_t)gy * width + gx] : 0.0f;
            }
        }
        __syncthreads();

        if (left + tx < width && y < height) {
            float sum = 0.0f;
            for (int j = 0; j < mask_width; j++)
                for (int k = 0; k < mask_width; k++)
                    sum += weights[j * mask_width + k] * tile[ty + j][tx + k];
            out[(size_t)y * width + left + tx] = sum;
        }
        __syncthreads();
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(weights, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    int rows = (height + TY - 1) / TY;
    dim3 grid((width + TX - 1) / TX, rows < 16 ? rows : 16);
    strips<<<grid, dim3(TX, TY)>>>(in, width, height, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}
