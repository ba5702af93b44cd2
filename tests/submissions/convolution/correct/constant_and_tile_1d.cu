// expect: conv1d=accepted
// Mask in constant memory and input in a tile: what the course arrives at. The tile is filled
// 1024 taps at a time, so that masks of any width pass through both.
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

constexpr int kTaps = 1024;
__constant__ float taps[kTaps];

// Adds the part of the taps begin to begin + count - 1, which are in constant memory.
__global__ void add_part(const float* in, int n, int mask_width, int begin, int count, int ghost,
                         float* out) {
    __shared__ float tile[256 + kTaps];
    const int i = blockIdx.x * 256 + threadIdx.x, first = blockIdx.x * 256 - mask_width / 2 + begin;
    for (int k = threadIdx.x; k < 256 + count - 1; k += 256)
        tile[k] = value(in, first + k, n, ghost);
    __syncthreads();
    if (i >= n) return;
    float sum = begin == 0 ? 0.0f : out[i];
    for (int j = 0; j < count; ++j) sum += taps[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int size = static_cast<int>(n);
    for (int begin = 0; begin < mask_width; begin += kTaps) {
        const int count = mask_width - begin < kTaps ? mask_width - begin : kTaps;
        cudaMemcpyToSymbol(taps, mask + begin, count * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        add_part<<<(size + 255) / 256, 256>>>(in, size, mask_width, begin, count, ghost, out);
    }
}
