// cause: unsigned_index line 14
// task: conv1d
// The position is a size_t, which wraps around to a huge number left of the signal, so the replicated edge there is the last element instead of the first.
#include "interface.cuh"

// One dimension. Grid-stride loop, one output per turn.
template <int Ghost>
__global__ void convolve(const float* __restrict__ in, size_t n, const float* __restrict__ mask, int width,
                         float* __restrict__ out) {
    const int r = width / 2;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float sum = 0.f;
        for (int j = 0; j < width; j++) {
            size_t k = i - r + j;
            if constexpr (Ghost == 0) {
                if (k < 0 || k >= n) continue;
            } else if constexpr (Ghost == 1) {
                if (k < 0) k = 0;
                else if (k >= n) k = n - 1;
            } else {
                const long long period = 2 * (long long)n;
                k = (((long long)k % period) + period) % period;
                if (k >= n) k = period - 1 - k;
            }
            sum += mask[j] * in[k];
        }
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int threads = 256;
    const size_t blocks = (n + threads - 1) / threads;
    const unsigned grid = blocks < 4096 ? (unsigned)blocks : 4096u;
    switch (ghost) {
        case 0: convolve<0><<<grid, threads>>>(in, n, mask, mask_width, out); break;
        case 1: convolve<1><<<grid, threads>>>(in, n, mask, mask_width, out); break;
        case 2: convolve<2><<<grid, threads>>>(in, n, mask, mask_width, out); break;
    }
}

// Two dimensions, bytes: what fits in a byte of the sum is the result.
void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

// Two dimensions, floats.
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
