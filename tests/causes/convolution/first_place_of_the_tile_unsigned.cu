// cause: unsigned_index line 37
// task: conv1d
// blockIdx.x * T - r is unsigned: in the first block it is not -r but 2^32 - r, so that its whole tile comes from beyond the end; seen as soon as r > 0.
#include "interface.cuh"

// 1-D convolution, tile + halo in shared memory. The mask comes in pieces of at most PIECE taps,
// so that its width does not matter: the sum is simply continued.

template <int T, int PIECE>
struct Tile {
    float samples[T + PIECE - 1];
    float taps[PIECE];
};

// The sample that stands at place k, which may be anywhere left or right of the n that are there.
__device__ float sample(const float* in, long long n, long long k, int ghost) {
    if (k < 0 || k >= n) {
        if (ghost == 0) return 0.f;
        if (ghost == 1) {
            k = k < 0 ? 0 : n - 1;
        } else {
            const long long period = 2 * n;
            k = ((k % period) + period) % period;
            if (k >= n) k = period - 1 - k;
        }
    }
    return in[k];
}

template <int T, int PIECE>
__global__ void conv1dKernel(const float* in, std::size_t n, const float* mask, int maskWidth,
                             int ghost, float* out) {
    __shared__ Tile<T, PIECE> tile;
    const int r = maskWidth / 2;

    // where the tile begins in the signal, halo included
    const long long begin = blockIdx.x * T - r;

    float acc = 0.f;
    for (int p = 0; p < maskWidth; p += PIECE) {
        const int taps = min(PIECE, maskWidth - p);
        __syncthreads();  // the last piece has been used
        for (int k = threadIdx.x; k < taps; k += T) tile.taps[k] = mask[p + k];
        for (int k = threadIdx.x; k < T + taps - 1; k += T)
            tile.samples[k] = sample(in, n, begin + p + k, ghost);
        __syncthreads();
        for (int k = 0; k < taps; ++k) acc += tile.taps[k] * tile.samples[threadIdx.x + k];
    }

    const std::size_t i = std::size_t(blockIdx.x) * T + threadIdx.x;
    if (i < n) out[i] = acc;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    constexpr int T = 256;
    const auto blocks = static_cast<unsigned>((n + T - 1) / T);
    if (mask_width <= 32)
        conv1dKernel<T, 32><<<blocks, T>>>(in, n, mask, mask_width, ghost, out);
    else
        conv1dKernel<T, 512><<<blocks, T>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {
    // not yet
}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {
    // not yet
}
