// cause: accumulator_too_narrow line 37
// task: conv2d_bytes
// The sum of the bytes' products is kept in a float, which is not exact above 2^24, so that sums of large masks of large values are off by a few.
#include "interface.cuh"

namespace {

enum Ghost { Zero, Replicate, Mirror };

__device__ int resolve(int k, int n, int ghost) {
    if (0 <= k && k < n) return k;
    switch (ghost) {
        case Replicate: return k < 0 ? 0 : n - 1;
        case Mirror: {
            int m = k % (2 * n);
            if (m < 0) m += 2 * n;
            return m < n ? m : 2 * n - 1 - m;
        }
        default: return -1;
    }
}

__device__ void store(float* where, double sum) { *where = static_cast<float>(sum); }

__device__ void store(unsigned char* where, double sum) {
    *where = static_cast<unsigned char>(static_cast<unsigned int>(sum));  // modulo 256
}

template <typename T>
__global__ void convolve(const T* __restrict__ in, int width, int height,
                         const T* __restrict__ mask, int m, int ghost, T* __restrict__ out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    const int r = m / 2;
    float sum = 0;
    for (int j = 0; j < m; ++j) {
        const int row = resolve(y - r + j, height, ghost);
        if (row < 0) continue;
        for (int k = 0; k < m; ++k) {
            const int column = resolve(x - r + k, width, ghost);
            if (column < 0) continue;
            sum += mask[j * m + k] * in[static_cast<std::size_t>(row) * width + column];
        }
    }
    store(&out[static_cast<std::size_t>(y) * width + x], sum);
}

template <typename T>
void launch(const T* in, int width, int height, const T* mask, int m, int ghost, T* out) {
    const dim3 threads(32, 8);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    convolve<T><<<blocks, threads>>>(in, width, height, mask, m, ghost, out);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    launch(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    launch(in, width, height, mask, mask_width, ghost, out);
}
