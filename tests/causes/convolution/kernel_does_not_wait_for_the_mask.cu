// cause: stream_not_waited_for line 80
// task: conv2d_float
// The mask is copied in a non-blocking stream that the kernel in the default stream does not wait for: it may use an old or half copied mask.
#include "interface.cuh"

__constant__ float taps[31 * 31];

// index of the element that stands for k, or -1 for a zero
__device__ long long idx_of(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void conv1(const float* in, long long n, const float* mask, int m, int ghost, float* out) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < m; j++) {
        long long k = idx_of(i - m / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    conv1<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, mask, mask_width, ghost, out);
}

__global__ void conv2_bytes(const unsigned char* in, int width, int height,
                            const unsigned char* mask, int m, int ghost, unsigned char* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        unsigned int sum = 0;
        for (int j = 0; j < m; j++) {
            long long yy = idx_of(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = idx_of(x - m / 2 + k, width, ghost);
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

__global__ void conv_taps(const float* in, int width, int height, int m, int ghost, float* out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)width * height) return;
    int x = (int)(i % width), y = (int)(i / width);
    const float* w = taps;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k, ++w) {
            long long yy = idx_of(y - m / 2 + j, height, ghost);
            long long xx = idx_of(x - m / 2 + k, width, ghost);
            if (xx >= 0 && yy >= 0) sum += *w * in[yy * width + xx];
        }
    out[i] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // an earlier kernel may still use the constant mask
    cudaStreamSynchronize(0);
    cudaStream_t copy_stream;
    cudaStreamCreateWithFlags(&copy_stream, cudaStreamNonBlocking);
    cudaMemcpyToSymbolAsync(taps, mask, mask_width * mask_width * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice, copy_stream);
    unsigned int blocks = (unsigned int)(((size_t)width * height + 191) / 192);
    conv_taps<<<blocks, 192>>>(in, width, height, mask_width, ghost, out);
    cudaStreamDestroy(copy_stream);
}
