// expect: conv1d=accepted
// Four neighbouring outputs per thread: a window of inputs moves through registers, so that one
// read of the tile and one of the mask serve four multiply-adds.
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
    const int first = blockIdx.x * 512, r = mask_width / 2;
    for (int k = threadIdx.x; k < 512 + 2 * r; k += blockDim.x)
        tile[k] = value(in, first - r + k, n, ghost);
    __syncthreads();
    const float* const from = tile + 4 * threadIdx.x;
    float a = from[0], b = from[1], c = from[2], sum[4] = {};
    for (int j = 0; j < mask_width; ++j) {
        const float d = from[j + 3], tap = mask[j];
        sum[0] += tap * a;
        sum[1] += tap * b;
        sum[2] += tap * c;
        sum[3] += tap * d;
        a = b;
        b = c;
        c = d;
    }
    for (int k = 0; k < 4; ++k)
        if (first + 4 * static_cast<int>(threadIdx.x) + k < n)
            out[first + 4 * threadIdx.x + k] = sum[k];
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int size = static_cast<int>(n);
    const std::size_t bytes = (512 + mask_width - 1) * sizeof(float);
    convolve<<<(size + 511) / 512, 128, bytes>>>(in, size, mask, mask_width, ghost, out);
}
