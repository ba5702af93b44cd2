// cause: halo_missing line 30
// task: conv1d
// Only the elements of the block and the halo to the right are loaded; the r elements at the left of the tile are never written (masks of 3 to 1023 taps).
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long ghost_index(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__device__ float fetch(const float* in, long long k, long long n, int ghost) {
    k = ghost_index(k, n, ghost);
    return k < 0 ? 0.0f : in[k];
}

#define BLOCK 256

__global__ void conv_tile(const float* in, long long n, const float* mask, int m, int ghost,
                          float* out) {
    extern __shared__ float tile[];  // BLOCK + m - 1 elements
    const int r = m / 2;
    const long long base = (long long)blockIdx.x * BLOCK;

    // own elements and the halo
    for (int t = threadIdx.x; t < BLOCK + r; t += BLOCK) tile[r + t] = fetch(in, base + t, n, ghost);
    __syncthreads();

    if (base + threadIdx.x < n) {
        float sum = 0;
        for (int j = 0; j < m; j++) sum += mask[j] * tile[threadIdx.x + j];
        out[base + threadIdx.x] = sum;
    }
}

__global__ void conv_wide(const float* in, long long n, const float* mask, int m, int ghost,
                          float* out) {
    long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < m; j++) sum += mask[j] * fetch(in, i - m / 2 + j, n, ghost);
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    unsigned int blocks = (unsigned int)((n + BLOCK - 1) / BLOCK);
    if (mask_width < 1024)
        conv_tile<<<blocks, BLOCK, (BLOCK + mask_width - 1) * sizeof(float)>>>(in, n, mask, mask_width,
                                                                       ghost, out);
    else
        conv_wide<<<blocks, BLOCK>>>(in, n, mask, mask_width, ghost, out);
}

// one kernel for bytes and floats; Sum is the type of the sum
template <typename T, typename Sum>
__global__ void conv2(const T* in, int width, int height, const T* mask, int m, int ghost, T* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (long long)width * height) return;
    int y = (int)(p / width), x = (int)(p % width), r = m / 2;
    Sum sum = 0;
    for (int j = 0; j < m; j++) {
        long long row = ghost_index(y - r + j, height, ghost);
        for (int k = 0; k < m; k++) {
            long long col = ghost_index(x - r + k, width, ghost);
            if (row >= 0 && col >= 0) sum += (Sum)mask[j * m + k] * (Sum)in[row * width + col];
        }
    }
    out[p] = (T)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<unsigned char, unsigned int><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<float, float><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}
