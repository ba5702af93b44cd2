// expect: conv1d=accepted
// No shared memory: a warp keeps 64 inputs in two registers per lane, and a tap is a shuffle.
// Wider masks pass through in pieces of 33 taps.
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
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float sum = 0;
    for (int begin = 0; begin < mask_width; begin += 33) {
        const int k = i - mask_width / 2 + begin;
        const float near = value(in, k, n, ghost), far = value(in, k + 32, n, ghost);
        for (int j = 0; j < 33 && begin + j < mask_width; ++j) {
            const float a = __shfl_sync(~0u, near, (lane + j) % 32);
            const float b = __shfl_sync(~0u, far, (lane + j) % 32);
            sum += mask[begin + j] * (lane + j < 32 ? a : b);
        }
    }
    if (i < n) out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}
