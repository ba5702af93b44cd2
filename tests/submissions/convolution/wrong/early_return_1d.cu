// expect: conv1d=barrier_divergence
// report: barrier_divergence 25 29, uninitialised_read 31
// Threads beyond the end return before the tile is loaded, although the others need the elements
// that they should have loaded.
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
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, r = mask_width / 2;
    if (i >= n) return;
    const int first = blockIdx.x * blockDim.x - r;
    for (int k = threadIdx.x; k < 256 + 2 * r; k += blockDim.x)
        tile[k] = value(in, first + k, n, ghost);
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < mask_width; ++j) sum += mask[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const std::size_t bytes = (256 + mask_width - 1) * sizeof(float);
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256, bytes>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}
