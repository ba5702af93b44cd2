// cause: size_in_elements or uninitialised_output line 58
// task: conv1d
// The mask is taken in pieces that are added to out, which is cleared before; but cudaMemset is given n and not n floats,
// and three quarters of the output start with garbage.
#include <algorithm>
#include <cstdint>

#include "interface.cuh"

namespace {

constexpr int PIECE = 128;    // taps per launch
constexpr int THREADS = 128;
constexpr int PER_THREAD = 4;  // neighbouring outputs
constexpr int OUTPUTS = THREADS * PER_THREAD;

__constant__ float piece[PIECE];

enum class Ghost : int { zero, replicate, mirror };

template <Ghost G>
__device__ float at(const float* in, std::int64_t n, std::int64_t k) {
    if (k >= 0 && k < n) return in[k];
    if (G == Ghost::zero) return 0.0f;
    if (G == Ghost::replicate) return in[k < 0 ? 0 : n - 1];
    std::int64_t m = ((k % (2 * n)) + 2 * n) % (2 * n);
    return in[m < n ? m : 2 * n - 1 - m];
}

// Adds the part of the sum that belongs to `taps` taps, the first of which lies `shift` elements from the output.
template <Ghost G>
__global__ void addPiece(const float* __restrict__ in, std::int64_t n, int taps, int shift, float* __restrict__ out) {
    __shared__ float s[OUTPUTS + PIECE];
    const std::int64_t base = (std::int64_t)blockIdx.x * OUTPUTS;
    for (int k = threadIdx.x; k < OUTPUTS + taps - 1; k += THREADS) s[k] = at<G>(in, n, base + shift + k);
    __syncthreads();

    float acc[PER_THREAD] = {};
    for (int j = 0; j < taps; ++j) {
        const float m = piece[j];
#pragma unroll
        for (int p = 0; p < PER_THREAD; ++p) acc[p] += m * s[threadIdx.x + p * THREADS + j];
    }
#pragma unroll
    for (int p = 0; p < PER_THREAD; ++p) {
        const std::int64_t i = base + threadIdx.x + p * THREADS;
        if (i < n) out[i] += acc[p];
    }
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
    const auto kernel = ghost == 0 ? addPiece<Ghost::zero>
                                   : (ghost == 1 ? addPiece<Ghost::replicate> : addPiece<Ghost::mirror>);
    const unsigned grid = static_cast<unsigned>((n + OUTPUTS - 1) / OUTPUTS);

    cudaMemset(out, 0, n);
    for (int first = 0; first < mask_width; first += PIECE) {
        const int taps = std::min(PIECE, mask_width - first);
        cudaMemcpyToSymbol(piece, mask + first, taps * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        kernel<<<grid, THREADS>>>(in, (std::int64_t)n, taps, first - mask_width / 2, out);
    }
}
