// cause: unsigned_index line 17
// task: conv1d
// The index is a size_t and never below 0, so an element left of the edge is taken for one beyond the end: wrong at the left edge for ghost 1 and in general for ghost 2.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long where(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

// value of the signal at k, inside or outside
__device__ float value_at(const float* in, size_t k, size_t n, int ghost) {
    if (k < 0 || k >= n) {
        if (ghost == 0) return 0.0f;
        if (ghost == 1) return k < 0 ? in[0] : in[n - 1];
        k = k % (2 * n);
        if (k < 0) k += 2 * n;
        if (k >= n) k = 2 * n - 1 - k;
    }
    return in[k];
}

__global__ void convolve1d_kernel(const float* in, size_t n, const float* mask, int mask_width,
                                  int ghost, float* out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int r = mask_width / 2;
        float sum = 0.0f;
        for (int j = 0; j < mask_width; ++j) {
            sum += mask[j] * value_at(in, i - r + j, n, ghost);
        }
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    int threads = 512;
    unsigned int blocks = (unsigned int)((n + threads - 1) / threads);
    convolve1d_kernel<<<blocks, threads>>>(in, n, mask, mask_width, ghost, out);
}

// one kernel for bytes and floats; Sum is the type of the sum
template <typename T, typename Sum>
__global__ void conv2(const T* in, int width, int height, const T* mask, int m, int ghost, T* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (long long)width * height) return;
    int y = (int)(p / width), x = (int)(p % width), r = m / 2;
    Sum sum = 0;
    for (int j = 0; j < m; j++) {
        long long row = where(y - r + j, height, ghost);
        for (int k = 0; k < m; k++) {
            long long col = where(x - r + k, width, ghost);
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
