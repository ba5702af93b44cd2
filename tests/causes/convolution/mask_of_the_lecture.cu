// cause: size_in_elements line 52
// task: conv1d
// cudaMemcpyToSymbol gets the number of taps instead of bytes, so only a quarter of the mask arrives in constant memory.
#include "interface.cuh"

// Mask in constant memory like in the lecture, for long masks we use the global one.

constexpr int MAX_TAPS = 1024;
__constant__ float c_mask[MAX_TAPS];

__device__ float sample(const float* in, long n, long k, int ghost) {
    switch (ghost) {
    case 0:
        return k < 0 || k >= n ? 0.f : in[k];
    case 1:
        return in[k < 0 ? 0 : (k >= n ? n - 1 : k)];
    default:
        while (k < 0 || k >= n) {
            if (k < 0) k = -1 - k;
            else k = 2 * n - 1 - k;
        }
        return in[k];
    }
}

__global__ void with_constant(const float* in, long n, int mask_width, int ghost, float* out) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.f;
        for (int j = 0; j < mask_width; j++)
            s += c_mask[j] * sample(in, n, i - mask_width / 2 + j, ghost);
        out[i] = s;
    }
}

__global__ void with_global(const float* in, long n, const float* mask, int mask_width, int ghost,
                            float* out) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.f;
        for (int j = 0; j < mask_width; j++)
            s += mask[j] * sample(in, n, i - mask_width / 2 + j, ghost);
        out[i] = s;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int block = 256;
    const int grid = (int)((n + block - 1) / block);
    if (mask_width <= MAX_TAPS) {
        cudaMemcpyToSymbol(c_mask, mask, mask_width, 0, cudaMemcpyDeviceToDevice);
        with_constant<<<grid, block>>>(in, n, mask_width, ghost, out);
    } else {
        with_global<<<grid, block>>>(in, n, mask, mask_width, ghost, out);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
