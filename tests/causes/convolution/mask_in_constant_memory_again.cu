// cause: array_too_small line 7
// task: conv1d
// The array in constant memory has room for 1024 taps, and the masks with 1025 and 2049 taps do not fit.
#include "interface.cuh"

// All threads of a warp want the same tap at the same time: constant memory.
__constant__ float taps[1024];

// The element that stands for index k, or -1 for none.
__device__ long long element(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void convolve(const float* in, long long n, int width, int ghost, float* out) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;

    long long start = i - width / 2;
    float sum = 0.0f;
    for (int j = 0; j < width; j++) {
        long long k = element(start + j, n, ghost);
        if (k >= 0) sum += taps[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    cudaMemcpyToSymbol(taps, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);

    int threads = 256;
    int blocks = (n + threads - 1) / threads;
    convolve<<<blocks, threads>>>(in, n, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
