// cause: missing_barrier line 45 or 46
// task: conv1d
// The mask is taken in pieces, and the next piece is loaded into shared memory while slower warps still compute with the
// last one: a race for all masks that are wider than one piece.
#include "interface.cuh"

// The mask can be any width, so it is processed in pieces of at most PIECE taps.
// For each piece the block loads the taps and the part of the signal that they meet.
static const int BLOCK = 256;
static const int PIECE = 128;

static __device__ float element(const float* in, long long n, long long k, int ghost) {
    if (k >= 0 && k < n) return in[k];
    if (ghost == 0) return 0.0f;
    if (ghost == 1) return k < 0 ? in[0] : in[n - 1];
    // mirror: period 2n
    long long p = k % (2 * n);
    if (p < 0) p += 2 * n;
    return p < n ? in[p] : in[2 * n - 1 - p];
}

static __global__ void conv_pieces(const float* in, long long n, const float* mask, int mask_width,
                                   int ghost, float* out) {
    __shared__ float weights[PIECE];
    __shared__ float signal[BLOCK + PIECE];

    const long long block_start = (long long)blockIdx.x * BLOCK;
    const long long i = block_start + threadIdx.x;
    const int r = mask_width / 2;
    float sum = 0.0f;

    for (int done = 0; done < mask_width; done += PIECE) {
        const int taps = min(PIECE, mask_width - done);

        if (threadIdx.x < taps) {
            weights[threadIdx.x] = mask[done + threadIdx.x];
        }
        for (int k = threadIdx.x; k < BLOCK + taps - 1; k += BLOCK) {
            signal[k] = element(in, n, block_start - r + done + k, ghost);
        }
        __syncthreads();

        for (int j = 0; j < taps; j++) {
            sum += weights[j] * signal[threadIdx.x + j];
        }
    }

    if (i < n) out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const int blocks = (int)((n + BLOCK - 1) / BLOCK);
    conv_pieces<<<blocks, BLOCK>>>(in, (long long)n, mask, mask_width, ghost, out);
}
