// expect: conv1d=out_of_bounds
// expect-gpu: conv1d=accepted|out_of_bounds
// report: out_of_bounds 24
// Every tap is read before it is known whether it lies inside; that the value is dropped then
// does not help.
#include "interface.cuh"

// The index that stands for k in a signal of n elements; -1 for a zero.
__device__ int place(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = (k % (2 * n) + 2 * n) % (2 * n);
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void convolve(const float* in, int n, const float* mask, int mask_width, int ghost,
                         float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const int k = i - mask_width / 2 + j;
        const float inside = *static_cast<const volatile float*>(in + k);
        const int other = place(k, n, ghost);
        sum += mask[j] * (k == other ? inside : other < 0 ? 0.0f : in[other]);
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}
