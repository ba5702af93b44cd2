// cause: array_too_small line 7
// task: conv1d
// The constant array has 1024 floats but takes masks of up to 4096: for 1025 taps and more the copy is refused and the kernel reads beyond the array.
#include "interface.cuh"

#define CONST_TAPS 4096  // 16 KB of the 64 KB of constant memory; wider masks stay in global memory
__constant__ float c_mask[1024];

// index of the element that stands for k, or -1 for a zero
__device__ long long source(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

template <bool CONSTANT>
__global__ void conv_const(const float* in, long long n, const float* mask, int m, int ghost,
                           float* out) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j) {
        long long k = source(i - m / 2 + j, n, ghost);
        float w = CONSTANT ? c_mask[j] : mask[j];
        if (k >= 0) sum += w * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    unsigned int blocks = (unsigned int)((n + 255) / 256);
    if (mask_width <= CONST_TAPS) {
        cudaMemcpyToSymbol(c_mask, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv_const<true><<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
    } else {
        conv_const<false><<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
    }
}

// one kernel for bytes and floats; Sum is the type of the sum
template <typename T, typename Sum>
__global__ void conv2(const T* in, int width, int height, const T* mask, int m, int ghost, T* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (long long)width * height) return;
    int y = (int)(p / width), x = (int)(p % width), r = m / 2;
    Sum sum = 0;
    for (int j = 0; j < m; j++) {
        long long row = source(y - r + j, height, ghost);
        for (int k = 0; k < m; k++) {
            long long col = source(x - r + k, width, ghost);
            if (row >= 0 && col >= 0) sum += (Sum)mask[j * m + k] * (Sum)in[row * width + col];
        }
    }
    out[p] = (T)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<unsigned char, unsigned int><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<float, float><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}
