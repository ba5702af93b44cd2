// expect: conv1d=out_of_bounds
// expect-gpu: conv1d=wrong_answer|out_of_bounds
// report: out_of_bounds 29
// Constant memory for 31 taps. The copy stops there, the loop does not.
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

constexpr int kTaps = 31;
__constant__ float taps[kTaps];

__global__ void convolve(const float* in, int n, int mask_width, int ghost, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j)
        sum += taps[j] * value(in, i - mask_width / 2 + j, n, ghost);
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int size = static_cast<int>(n), copied = mask_width < kTaps ? mask_width : kTaps;
    cudaMemcpyToSymbol(taps, mask, copied * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(size + 255) / 256, 256>>>(in, size, mask_width, ghost, out);
}
