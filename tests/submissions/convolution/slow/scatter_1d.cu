// expect: conv1d=accepted
// Scatter instead of gather: each input, ghost cells included, adds its products to all outputs
// that it reaches, which takes an atomic per product.
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

__global__ void scatter(const float* in, int n, const float* mask, int mask_width, int ghost,
                        float* out) {
    const int r = mask_width / 2;
    const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) - r;
    if (k >= n + r) return;
    const float from = value(in, k, n, ghost);
    for (int j = 0; j < mask_width; ++j) {
        const int i = k + r - j;
        if (i >= 0 && i < n) atomicAdd(&out[i], mask[j] * from);
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int size = static_cast<int>(n), cells = size + 2 * (mask_width / 2);
    cudaMemset(out, 0, n * sizeof *out);
    scatter<<<(cells + 255) / 256, 256>>>(in, size, mask, mask_width, ghost, out);
}
