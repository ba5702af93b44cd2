// cause: too_slow line 90
// task: conv2d_float
// The launch has a single block, so one multiprocessor does all the work: right, but hundreds of times too slow for large images.
#include "interface.cuh"

__host__ __device__ inline long long neighbour(long long pos, long long size, int policy)
{
    bool inside = pos >= 0 && pos < size;
    if (!inside) {
        switch (policy) {
        case 0: return -1;
        case 1: pos = pos < 0 ? 0 : size - 1; break;
        default:
            pos = ((pos % (2 * size)) + 2 * size) % (2 * size);
            if (pos >= size) pos = 2 * size - 1 - pos;
        }
    }
    return pos;
}

__global__ void signal_kernel(const float* __restrict__ signal, size_t n,
                              const float* __restrict__ weights, int taps, int ghost, float* result)
{
    const int r = taps / 2;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float acc = 0;
        for (int j = 0; j < taps; ++j) {
            long long src = neighbour((long long)i - r + j, (long long)n, ghost);
            acc += src < 0 ? 0.f : weights[j] * signal[src];
        }
        result[i] = acc;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    signal_kernel<<<1024, 128>>>(in, n, mask, mask_width, ghost, out);
}

__global__ void conv2_bytes(const unsigned char* in, int width, int height,
                            const unsigned char* mask, int m, int ghost, unsigned char* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        unsigned int sum = 0;
        for (int j = 0; j < m; j++) {
            long long yy = neighbour(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = neighbour(x - m / 2 + k, width, ghost);
                if (xx >= 0) sum += (unsigned int)mask[j * m + k] * in[yy * width + xx];
            }
        }
        out[(size_t)y * width + x] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 grid((width + 127) / 128, height < 65535 ? height : 65535);
    conv2_bytes<<<grid, 128>>>(in, width, height, mask, mask_width, ghost, out);
}

// a block takes a row at a time, its threads take the pixels of the row
__global__ void rows_kernel(const float* in, int width, int height, const float* mask, int m,
                            int ghost, float* out)
{
    for (int y = blockIdx.x; y < height; y += gridDim.x) {
        for (int x = threadIdx.x; x < width; x += blockDim.x) {
            float sum = 0;
            for (int j = 0; j < m; ++j) {
                long long row = neighbour(y - m / 2 + j, height, ghost);
                if (row < 0) continue;
                for (int k = 0; k < m; ++k) {
                    long long col = neighbour(x - m / 2 + k, width, ghost);
                    if (col >= 0) sum += mask[j * m + k] * in[row * width + col];
                }
            }
            out[(size_t)y * width + x] = sum;
        }
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    const int threads = 256;
    rows_kernel<<<1, threads>>>(in, width, height, mask, mask_width, ghost, out);
}
