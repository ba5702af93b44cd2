// cause: unsigned_index line 15
// task: conv1d
// The place k is a std::size_t and never below zero, so that the ghost cells at the left edge are wrong with the policies replicate and mirror.
// first version, everything from global memory
#include "interface.cuh"

__global__ void conv(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                     float* out) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long len = n;
    const int r = mask_width / 2;
    float sum = 0;
    for (int j = 0; j < mask_width; j++) {
        std::size_t k = i - r + j;
        if (ghost == 0) {
            if (k >= 0 && k < len) sum += mask[j] * in[k];
            continue;
        }
        if (ghost == 1) {
            // replicate
            if (k < 0)
                k = 0;
            else if (k >= len)
                k = len - 1;
        } else {
            // mirror, repeats after 2 n
            k = k % (2 * len);
            if (k < 0) k += 2 * len;
            if (k >= len) k = 2 * len - 1 - k;
        }
        sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    int threads = 128;
    int blocks = (n + threads - 1) / threads;
    conv<<<blocks, threads>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
