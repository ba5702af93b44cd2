// expect: conv1d=wrong_answer
// Unsigned indices: what lies in front of the signal looks as if it were far behind its end, and
// gets the wrong ghost cell.
#include "interface.cuh"

__device__ float value(const float* in, std::size_t k, std::size_t n, int ghost) {
    if (k < n) return in[k];
    if (ghost == 0) return 0;
    if (ghost == 1) return in[n - 1];
    k %= 2 * n;
    return in[k < n ? k : 2 * n - 1 - k];
}

__global__ void convolve(const float* in, std::size_t n, const float* mask, int mask_width,
                         int ghost, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j)
        sum += mask[j] * value(in, i - mask_width / 2 + j, n, ghost);
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
}
