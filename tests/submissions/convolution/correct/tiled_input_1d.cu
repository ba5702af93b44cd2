// expect: conv1d=accepted
// Tiled, the block as large as the input tile: each thread loads one element, and the threads of
// the halo compute nothing. Masks of more than 512 taps, for which hardly any output would be
// left, are cut into pieces that are added up.
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
    __shared__ float tile[1024];
    constexpr int kOutputs = 512;  // of a block; 513 taps fit
    const int i = blockIdx.x * kOutputs + threadIdx.x;
    float sum = 0;
    for (int begin = 0; begin < mask_width; begin += 513) {
        const int taps = min(513, mask_width - begin);
        tile[threadIdx.x] = value(in, i - mask_width / 2 + begin, n, ghost);
        __syncthreads();
        if (threadIdx.x < kOutputs)
            for (int j = 0; j < taps; ++j) sum += mask[begin + j] * tile[threadIdx.x + j];
        __syncthreads();
    }
    if (threadIdx.x < kOutputs && i < n) out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int size = static_cast<int>(n);
    convolve<<<(size + 511) / 512, 1024>>>(in, size, mask, mask_width, ghost, out);
}
