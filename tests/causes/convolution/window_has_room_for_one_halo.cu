// cause: array_too_small line 45
// task: conv1d
// The window in shared memory has room for the halo on one side only: a piece of the mask with more than 129 taps reaches beyond its end.
#include "interface.cuh"

// Wide masks are taken in pieces of at most 256 taps. For each piece the block loads the part of the
// signal that its outputs need under these taps, and adds to the sums in registers. So a mask of any
// width works, with a fixed amount of shared memory.

#define BLOCK 128
#define OUTPUTS 4                /* per thread */
#define TILE (BLOCK * OUTPUTS)
#define PIECE 256                /* taps at a time */
#define PIECE_RADIUS (PIECE / 2)

typedef long long index_t;

// One policy per type, so that the choice is made once and not for each element.
struct Zero {
    __device__ static float get(const float* in, index_t k, index_t n) {
        return k >= 0 && k < n ? in[k] : 0.0f;
    }
};

struct Replicate {
    __device__ static float get(const float* in, index_t k, index_t n) {
        return in[k < 0 ? 0 : (k >= n ? n - 1 : k)];
    }
};

struct Mirror {
    __device__ static float get(const float* in, index_t k, index_t n) {
        const index_t period = 2 * n;
        k %= period;
        if (k < 0) k += period;
        return in[k < n ? k : period - 1 - k];
    }
};

template <class Policy>
__global__ void __launch_bounds__(BLOCK)
    conv_kernel(const float* __restrict__ in, index_t n, const float* __restrict__ mask,
                int mask_width, float* __restrict__ out) {
    __shared__ float taps[PIECE];
    __shared__ float window[TILE + PIECE_RADIUS];

    const index_t first = static_cast<index_t>(blockIdx.x) * TILE;
    const index_t left = first - mask_width / 2;
    const int t = threadIdx.x;

    float sum[OUTPUTS];
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) sum[o] = 0.0f;

    for (int begin = 0; begin < mask_width; begin += PIECE) {
        const int count = min(PIECE, mask_width - begin);

        __syncthreads();  // everybody is done with the piece before
        for (int j = t; j < count; j += BLOCK) taps[j] = mask[begin + j];
        for (int j = t; j < TILE + count - 1; j += BLOCK)
            window[j] = Policy::get(in, left + begin + j, n);
        __syncthreads();

        // A thread's outputs are BLOCK apart: neighbouring lanes read neighbouring banks.
        for (int j = 0; j < count; ++j) {
            const float w = taps[j];
#pragma unroll
            for (int o = 0; o < OUTPUTS; ++o) sum[o] = fmaf(w, window[o * BLOCK + t + j], sum[o]);
        }
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) {
        const index_t i = first + o * BLOCK + t;
        if (i < n) out[i] = sum[o];
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned blocks = static_cast<unsigned>((n + TILE - 1) / TILE);
    const index_t length = static_cast<index_t>(n);
    switch (ghost) {
        case 0: conv_kernel<Zero><<<blocks, BLOCK>>>(in, length, mask, mask_width, out); break;
        case 1: conv_kernel<Replicate><<<blocks, BLOCK>>>(in, length, mask, mask_width, out); break;
        default: conv_kernel<Mirror><<<blocks, BLOCK>>>(in, length, mask, mask_width, out); break;
    }
}
