// expect: conv1d=data_race
// report: missing_syncwarp 27 31, missing_syncwarp 28 31, shared_race 27 31, shared_race 28 31
// A wide mask passes through the tile in pieces of 256 taps, without a barrier before the next
// piece is loaded: fast warps overwrite what slow ones still read.
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
    __shared__ float tile[512];
    const int i = blockIdx.x * 256 + threadIdx.x, r = mask_width / 2;
    float sum = 0;
    for (int begin = 0; begin < mask_width; begin += 256) {
        tile[threadIdx.x] = value(in, i - r + begin, n, ghost);
        tile[256 + threadIdx.x] = value(in, i - r + begin + 256, n, ghost);
        __syncthreads();
        for (int j = 0; j < 256 && begin + j < mask_width; ++j)
            sum += mask[begin + j] * tile[threadIdx.x + j];
    }
    if (i < n) out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + 255) / 256);
    convolve<<<blocks, 256>>>(in, static_cast<int>(n), mask, mask_width, ghost, out);
}
