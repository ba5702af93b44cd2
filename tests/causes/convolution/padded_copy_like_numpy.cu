// cause: array_too_small line 43
// task: conv1d
// Whether the kept buffer is large enough is decided by n alone: a wider mask with no more elements than before makes the padded signal overrun it.
#include "interface.cuh"

// np.pad first, np.correlate(padded, mask, mode="valid") afterwards: no conditions in the inner loop.

__global__ void pad(const float* in, long n, int r, int ghost, float* padded) {
    long p = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (p >= n + 2 * r) return;
    long i = p - r;
    float v = 0;
    if (i >= 0 && i < n) {
        v = in[i];
    } else if (ghost == 1) {           // mode="edge"
        v = in[i < 0 ? 0 : n - 1];
    } else if (ghost == 2) {           // mode="symmetric"
        long period = 2 * n;
        long m = ((i % period) + period) % period;
        v = in[m < n ? m : period - 1 - m];
    }
    padded[p] = v;
}

__global__ void correlate_valid(const float* padded, long n, const float* mask, int mask_width,
                                float* out) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float dot = 0;
    for (int j = 0; j < mask_width; j++) {
        dot += mask[j] * padded[i + j];
    }
    out[i] = dot;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    static float* padded = nullptr;
    static std::size_t capacity = 0;

    int r = mask_width / 2;
    std::size_t length = n + 2 * r;
    if (n > capacity) {
        cudaFree(padded);
        cudaMalloc(&padded, length * sizeof(float));
        capacity = length;
    }

    int threads = 256;
    pad<<<(length + threads - 1) / threads, threads>>>(in, n, r, ghost, padded);
    correlate_valid<<<(n + threads - 1) / threads, threads>>>(padded, n, mask, mask_width, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
}
