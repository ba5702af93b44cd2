// cause: missing_barrier line 57 or 58
// task: conv1d
// No barrier at the end of the loop over the pieces of the mask: fast warps load the next piece while slow ones still add the last; masks of more than 128 taps.

#include "interface.cuh"

// 1D: the mask is taken in pieces of PIECE taps, so any width works and nothing needs constant
// memory. Per piece the block loads the taps and the part of the signal that they meet.

namespace {

constexpr int THREADS = 256;
constexpr int PIECE = 128;

enum Ghost { ZERO = 0, REPLICATE = 1, MIRROR = 2 };

// the value that stands at index k, which may be outside
__device__ float sample(const float* in, long long n, long long k, int ghost) {
    if (k >= 0 && k < n) return in[k];
    switch (ghost) {
    case REPLICATE:
        return in[k < 0 ? 0 : n - 1];
    case MIRROR: {
        const long long period = 2 * n;
        k %= period;
        if (k < 0) k += period;
        return in[k < n ? k : period - 1 - k];
    }
    default:
        return 0.0f;
    }
}

__global__ void convolve_pieces(const float* in, long long n, const float* mask, int mask_width,
                                int ghost, float* out) {
    __shared__ float taps[PIECE];
    __shared__ float window[THREADS + PIECE - 1];

    const int t = threadIdx.x;
    const int r = mask_width / 2;
    const long long block_start = (long long)blockIdx.x * THREADS;

    float sum = 0.0f;
    for (int first = 0; first < mask_width; first += PIECE) {
        const int count = min(PIECE, mask_width - first);

        // the taps of this piece
        for (int j = t; j < count; j += THREADS) taps[j] = mask[first + j];

        // the signal below them
        const long long left = block_start - r + first;
        for (int j = t; j < THREADS + count - 1; j += THREADS)
            window[j] = sample(in, n, left + j, ghost);
        __syncthreads();

        for (int j = 0; j < count; ++j)
            sum += taps[j] * window[t + j];
    }

    if (block_start + t < n) out[block_start + t] = sum;
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    convolve_pieces<<<blocks, THREADS>>>(in, (long long)n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
