// cause: unsigned_index line 16
// task: conv1d
// The index of a neighbour is a size_t and wraps around left of the signal, so the left edge takes its ghost cells from the wrong place for replicate and mirror.
#include "interface.cuh"

// one thread = one output element
__global__ void kernel1d(const float* in, size_t n, const float* mask, int mask_width, int ghost,
                         float* out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const long long len = n;
    const int r = mask_width / 2;
    float result = 0;
    for (int j = 0; j < mask_width; ++j) {
        size_t k = i - r + j;
        if (k < 0 || k >= len) {
            if (ghost == 0) {
                continue;
            } else if (ghost == 1) {
                if (k < 0) k = 0;
                else k = len - 1;
            } else {
                k = k % (2 * len);
                if (k < 0) k += 2 * len;
                if (k >= len) k = 2 * len - 1 - k;
            }
        }
        result += mask[j] * in[k];
    }
    out[i] = result;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    size_t threads = 128;
    size_t blocks = (n + threads - 1) / threads;
    kernel1d<<<blocks, threads>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
