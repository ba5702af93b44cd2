// cause: halo_missing line 38
// task: conv1d
// each halo is loaded with one element per thread, so masks with a radius above 256 lack most of theirs
#include "interface.cuh"

#define BLOCK 256
#define MAX_CONST_TAPS 1024

// Masks of up to 1024 taps live here, longer ones stay in global memory.
__constant__ float c_mask[MAX_CONST_TAPS];

// Value of cell k, which may lie outside of the signal.
__device__ float cell(const float* in, long long k, long long n, int ghost) {
    if (k < 0 || k >= n) {
        if (ghost == 0) return 0.0f;
        if (ghost == 1) {
            k = k < 0 ? 0 : n - 1;
        } else {
            const long long period = 2 * n;
            k = ((k % period) + period) % period;
            if (k >= n) k = period - 1 - k;
        }
    }
    return in[k];
}

template <bool kConstant>
__global__ void conv1d_tiled(const float* in, long long n, const float* mask, int mask_width,
                             int ghost, float* out) {
    extern __shared__ float tile[];  // r + BLOCK + r
    const int r = mask_width / 2;
    const int t = threadIdx.x;
    const long long first = static_cast<long long>(blockIdx.x) * BLOCK;

    // everybody loads the element in the middle ...
    tile[r + t] = cell(in, first + t, n, ghost);
    // ... and some of them also the halo on the left and on the right
    if (t < r) {
        tile[t] = cell(in, first - r + t, n, ghost);
        tile[r + BLOCK + t] = cell(in, first + BLOCK + t, n, ghost);
    }
    __syncthreads();

    const long long i = first + t;
    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; ++j) {
            const float m = kConstant ? c_mask[j] : mask[j];
            sum += m * tile[t + j];
        }
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int blocks = static_cast<unsigned int>((n + BLOCK - 1) / BLOCK);
    const std::size_t shared = (BLOCK + mask_width - 1) * sizeof(float);
    if (mask_width <= MAX_CONST_TAPS) {
        cudaMemcpyToSymbol(c_mask, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv1d_tiled<true><<<blocks, BLOCK, shared>>>(in, n, mask, mask_width, ghost, out);
    } else {
        conv1d_tiled<false><<<blocks, BLOCK, shared>>>(in, n, mask, mask_width, ghost, out);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
