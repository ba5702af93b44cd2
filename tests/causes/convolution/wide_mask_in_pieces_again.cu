// cause: missing_barrier line 47 or 48
// task: conv1d
// Nothing separates the sums over one piece of the mask from the loading of the next piece into the same shared memory; shows with masks of more than 64 taps.
#include "interface.cuh"

// The mask is taken in pieces of 64 taps, so that mask and tile always fit into shared memory,
// however wide the mask is.

namespace {

constexpr int kThreads = 256;
constexpr int kPiece = 64;

__device__ long long ghostIndex(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    switch (ghost) {
        case 0:
            return -1;
        case 1:
            return k < 0 ? 0 : n - 1;
        default: {
            long long m = k % (2 * n);
            if (m < 0) m += 2 * n;
            return m < n ? m : 2 * n - 1 - m;
        }
    }
}

__global__ void convolvePieces(const float* in, long long n, const float* mask, int maskWidth, int ghost,
                               float* out) {
    __shared__ float tile[kThreads + kPiece - 1];
    __shared__ float taps[kPiece];

    const long long first = (long long)blockIdx.x * kThreads - maskWidth / 2;
    float sum = 0.0f;

    for (int piece = 0; piece < maskWidth; piece += kPiece) {
        const int count = min(kPiece, maskWidth - piece);

        if (threadIdx.x < count) taps[threadIdx.x] = mask[piece + threadIdx.x];
        for (int t = threadIdx.x; t < kThreads + count - 1; t += kThreads) {
            const long long k = ghostIndex(first + piece + t, n, ghost);
            tile[t] = k < 0 ? 0.0f : in[k];
        }
        __syncthreads();

        for (int j = 0; j < count; ++j) sum += taps[j] * tile[threadIdx.x + j];
    }

    const long long i = (long long)blockIdx.x * kThreads + threadIdx.x;
    if (i < n) out[i] = sum;
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
    const unsigned blocks = (n + kThreads - 1) / kThreads;
    convolvePieces<<<blocks, kThreads>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int, unsigned char*) {}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {}
