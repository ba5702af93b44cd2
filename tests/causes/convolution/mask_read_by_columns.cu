// cause: transposed line 85
// task: conv2d_float
// Rows and columns of the mask are exchanged: right only for masks that equal their transpose.
#include "interface.cuh"

__host__ __device__ inline long long cell(long long pos, long long size, int policy)
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
            long long src = cell((long long)i - r + j, (long long)n, ghost);
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
            long long yy = cell(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = cell(x - m / 2 + k, width, ghost);
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

__global__ void filter(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    __shared__ float m[31 * 31];
    for (int i = threadIdx.x; i < mask_width * mask_width; i += blockDim.x) m[i] = mask[i];
    __syncthreads();

    const int r = mask_width / 2;
    const long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (long long)width * height) return;
    const int x = p % width, y = p / width;

    float sum = 0.0f;
    for (int dx = -r; dx <= r; ++dx) {
        const long long sx = cell(x + dx, width, ghost);
        if (sx < 0) continue;
        for (int dy = -r; dy <= r; ++dy) {
            const long long sy = cell(y + dy, height, ghost);
            if (sy < 0) continue;
            sum += m[(dx + r) * mask_width + (dy + r)] * in[sy * width + sx];
        }
    }
    out[p] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    const long long blocks = ((long long)width * height + 255) / 256;
    filter<<<(unsigned int)blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}
