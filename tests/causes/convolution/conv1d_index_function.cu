// cause: unsigned_index line 7
// task: conv1d
// The index is a size_t and wraps around left of the first element, so the left ghost cells are taken for right ones.
#include "interface.cuh"

// The element that stands for index k under each ghost policy
__device__ float fetch(const float* in, std::size_t k, std::size_t n, int ghost) {
    const long long count = n;
    if (k >= 0 && k < count) return in[k];
    switch (ghost) {
    case 0:
        return 0.0f;
    case 1:
        return k < 0 ? in[0] : in[count - 1];
    default:
        auto m = k % (2 * count);    // period 2 n
        if (m < 0) m += 2 * count;
        return m < count ? in[m] : in[2 * count - 1 - m];
    }
}

__global__ void conv1d_kernel(const float* in, std::size_t n, const float* mask, int width, int ghost, float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int r = width / 2;
    float sum = 0.0f;
    for (int j = 0; j < width; ++j) sum += mask[j] * fetch(in, i - r + j, n, ghost);
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
    const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
    conv1d_kernel<<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int, unsigned char*) {}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {}
