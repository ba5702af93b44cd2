// expect: conv1d=uninitialised_read
// report: uninitialised_read 30
// The left halo is loaded and the right one is not: the end of the tile is what was in shared
// memory before.
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
    const int first = blockIdx.x * 256, i = first + threadIdx.x, r = mask_width / 2;
    for (int k = threadIdx.x; k < r; k += 256) tile[k] = value(in, first - r + k, n, ghost);
    tile[r + threadIdx.x] = value(in, i, n, ghost);
    __syncthreads();
    if (i >= n) return;
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
