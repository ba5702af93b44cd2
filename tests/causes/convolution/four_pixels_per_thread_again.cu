// cause: saturated line 32
// task: conv2d_bytes
// The sum is cut off at 255 before it is stored, where it must be taken modulo 256; shows as soon as a sum exceeds 255.
#include "interface.cuh"

typedef unsigned char byte;

#define PIXELS 4

__device__ int mirror_index(int k, int n) {
    int period = 2 * n;
    k = k % period;
    if (k < 0) k = k + period;
    if (k >= n) k = period - 1 - k;
    return k;
}

__device__ int pixel(const byte* in, int width, int height, int x, int y, int ghost) {
    if (ghost == 0 && (x < 0 || y < 0 || x >= width || y >= height)) return 0;
    if (ghost == 1) {
        x = min(max(x, 0), width - 1);
        y = min(max(y, 0), height - 1);
    }
    if (ghost == 2) {
        x = mirror_index(x, width);
        y = mirror_index(y, height);
    }
    return in[y * width + x];
}

__device__ byte to_pixel(int value) {
    return (byte)min(value, 255);
}

// each thread computes four neighbouring pixels of a row
__global__ void filter(const byte* in, int width, int height, const byte* mask, int m, int ghost, byte* out) {
    __shared__ int taps[31 * 31];
    for (int t = threadIdx.x; t < m * m; t += blockDim.x) taps[t] = mask[t];
    __syncthreads();

    int r = m / 2;
    int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * PIXELS;
    int y = blockIdx.y;
    int sum[PIXELS] = {0, 0, 0, 0};

    for (int j = 0; j < m; j++) {
        for (int c = 0; c < m + PIXELS - 1; c++) {
            int value = pixel(in, width, height, x0 - r + c, y - r + j, ghost);
            for (int p = 0; p < PIXELS; p++) {
                int k = c - p;
                if (k >= 0 && k < m) sum[p] += taps[j * m + k] * value;
            }
        }
    }
    for (int p = 0; p < PIXELS; p++)
        if (x0 + p < width) out[y * width + x0 + p] = to_pixel(sum[p]);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    int threads = 64;
    dim3 grid((width + threads * PIXELS - 1) / (threads * PIXELS), height);
    filter<<<grid, threads>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
