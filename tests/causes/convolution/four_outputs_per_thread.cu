// cause: wrong_stride line 41
// task: conv1d
// 256 threads load the tile with a stride of 1024, so three quarters of it are never filled; shows as soon as the tile has more than 256 elements that are used.
#include "interface.cuh"

#include <type_traits>

namespace {

constexpr int kOutputs = 4;
constexpr int kThreads = 256;
constexpr int kTile = kOutputs * kThreads;

enum class Ghost { zero, replicate, mirror };

struct Signal {
    const float* data;
    std::ptrdiff_t n;
    Ghost ghost;

    __device__ float operator[](std::ptrdiff_t k) const {
        if (k < 0 || k >= n) {
            switch (ghost) {
                case Ghost::zero: return 0.0f;
                case Ghost::replicate: k = k < 0 ? 0 : n - 1; break;
                case Ghost::mirror:
                    k = (k % (2 * n) + 2 * n) % (2 * n);
                    if (k >= n) k = 2 * n - 1 - k;
                    break;
            }
        }
        return data[k];
    }
};

__global__ void convolve(Signal in, const float* __restrict__ mask, int taps, float* __restrict__ out) {
    extern __shared__ float tile[];
    const std::ptrdiff_t begin = std::ptrdiff_t(blockIdx.x) * kTile;
    const int span = kTile + taps - 1;

    for (int k = threadIdx.x; k < span; k += kTile) tile[k] = in[begin - taps / 2 + k];
    __syncthreads();

    float sum[kOutputs] = {};
    for (int j = 0; j < taps; ++j) {
        const float weight = mask[j];
#pragma unroll
        for (int q = 0; q < kOutputs; ++q) sum[q] += weight * tile[threadIdx.x + q * kThreads + j];
    }
#pragma unroll
    for (int q = 0; q < kOutputs; ++q) {
        const std::ptrdiff_t i = begin + threadIdx.x + q * kThreads;
        if (i < in.n) out[i] = sum[q];
    }
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const Signal signal{in, static_cast<std::ptrdiff_t>(n), static_cast<Ghost>(ghost)};
    const auto blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
    convolve<<<blocks, kThreads, (kTile + mask_width - 1) * sizeof(float)>>>(signal, mask, mask_width, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
