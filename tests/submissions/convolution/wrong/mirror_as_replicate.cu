// expect: conv1d=wrong_answer
// Any ghost policy but zero repeats the edge element; mirror was forgotten.
#include "interface.cuh"

__device__ float value(const float* in, int k, int n, int ghost) {
    if (k >= 0 && k < n) return in[k];
    return ghost == 0 ? 0.0f : in[k < 0 ? 0 : n - 1];
}

__global__ void convolve(const float* in, int n, const float* mask, int mask_width, int ghost,
                         float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j)
        sum += mask[j] * value(in, i - mask_width / 2 + j, n, ghost);
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}
