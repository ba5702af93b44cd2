// expect: conv1d=wrong_answer
// The tile holds the block's own elements only, and taps that reach beyond it are left out:
// outputs near the edges of blocks are wrong.
#include "interface.cuh"

// The index that stands for k in a signal of n elements; -1 for a zero.
__device__ int place(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = (k % (2 * n) + 2 * n) % (2 * n);
    return k < n ? k : 2 * n - 1 - k;
}

__device__ float value(const float* in, int k, int n, int ghost) {
    k = place(k, n, ghost);
    return k < 0 ? 0.0f : in[k];
}

__global__ void convolve(const float* in, int n, const float* mask, int mask_width, int ghost,
                         float* out) {
    __shared__ float tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = value(in, i, n, ghost);
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const int k = static_cast<int>(threadIdx.x) - mask_width / 2 + j;
        if (k >= 0 && k < 256) sum += mask[j] * tile[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}
