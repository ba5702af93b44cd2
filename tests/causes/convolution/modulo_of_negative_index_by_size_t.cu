// cause: sign_lost or unsigned_index or ghost_policy line 15
// task: conv1d
// The period 2 * n of the mirror is a size_t, and so the negative index is turned into a huge positive number before the
// modulo: unless 2 n is a power of two, the mirrored cells at the left edge are wrong.
#include "interface.cuh"

__constant__ float c_mask[1024];

// The element that stands for index k, which may be outside.
__device__ float fetch(const float* in, std::size_t n, long long k, int ghost) {
    if (k >= 0 && k < (long long)n) return in[k];
    if (ghost == 0) return 0.0f;
    if (ghost == 1) return k < 0 ? in[0] : in[n - 1];
    // mirror: period 2 n
    long long m = k % (2 * n);
    if (m < 0) m += 2 * n;
    if (m >= (long long)n) m = 2 * n - 1 - m;
    return in[m];
}

__global__ void conv_const(const float* in, std::size_t n, int w, int ghost, float* out) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    long long left = (long long)i - w / 2;
    for (int j = 0; j < w; j++) sum += c_mask[j] * fetch(in, n, left + j, ghost);
    out[i] = sum;
}

// for masks that do not fit in constant memory
__global__ void conv_long(const float* in, std::size_t n, const float* mask, int w, int ghost, float* out) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    long long left = (long long)i - w / 2;
    for (int j = 0; j < w; j++) sum += mask[j] * fetch(in, n, left + j, ghost);
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (mask_width <= 1024) {
        cudaMemcpyToSymbol(c_mask, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv_const<<<blocks, 256>>>(in, n, mask_width, ghost, out);
    } else {
        conv_long<<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
    }
}
