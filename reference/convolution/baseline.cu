// The naive convolution: one thread per output element, every tap read from global memory.
#include "interface.cuh"

// The element that stands for index k of n, or -1 for a zero.
__device__ long long source(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k = (k % (2 * n) + 2 * n) % (2 * n);  // reflections repeat after 2 n
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void convolve(const float* in, long long n, const float* mask, int mask_width, int ghost,
                         float* out) {
    const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const long long k = source(i - mask_width / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

// Sum is what the products are added up in: its value modulo 256 is what matters for bytes.
template <class T, class Sum>
__global__ void convolve(const T* in, int width, int height, const T* mask, int mask_width,
                         int ghost, T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    Sum sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const long long row = source(y - mask_width / 2 + j, height, ghost);
        for (int i = 0; i < mask_width; ++i) {
            const long long column = source(x - mask_width / 2 + i, width, ghost);
            if (row >= 0 && column >= 0)
                sum += static_cast<Sum>(mask[j * mask_width + i]) * in[row * width + column];
        }
    }
    out[static_cast<std::size_t>(y) * width + x] = static_cast<T>(sum);
}

dim3 blocks_for(int width, int height, dim3 block) {
    return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned int threads = 256;
    convolve<<<static_cast<unsigned int>((n + threads - 1) / threads), threads>>>(
        in, static_cast<long long>(n), mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const dim3 block(32, 8);
    convolve<unsigned char, unsigned int><<<blocks_for(width, height, block), block>>>(
        in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const dim3 block(32, 8);
    convolve<float, float><<<blocks_for(width, height, block), block>>>(in, width, height, mask,
                                                                        mask_width, ghost, out);
}
