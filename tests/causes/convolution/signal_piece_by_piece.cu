// cause: missing_barrier line 39 or 40
// task: conv1d
// Fast warps load the next piece of mask and signal while slow ones still compute with this one; shows for masks of more than 256 taps.
// 1D convolution. The mask can be very long, so both the mask and the signal go through
// shared memory in pieces of 256 taps.
#include "interface.cuh"

#define BLOCK 256
#define PIECE 256

// index of the element that stands for k, -1 if it is zero
__device__ long long find(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void conv_pieces(const float* in, long long n, const float* mask, int mask_width,
                            int ghost, float* out) {
    __shared__ float taps[PIECE];
    __shared__ float tile[BLOCK + PIECE - 1];
    long long first = (long long)blockIdx.x * BLOCK;
    long long i = first + threadIdx.x;
    float sum = 0.0f;

    for (int start = 0; start < mask_width; start += PIECE) {
        int count = min(PIECE, mask_width - start);
        if (threadIdx.x < count) taps[threadIdx.x] = mask[start + threadIdx.x];
        for (int s = threadIdx.x; s < BLOCK + count - 1; s += BLOCK) {
            long long k = find(first - mask_width / 2 + start + s, n, ghost);
            tile[s] = k < 0 ? 0.0f : in[k];
        }
        __syncthreads();
        for (int j = 0; j < count; j++) {
            sum += taps[j] * tile[threadIdx.x + j];
        }
    }
    if (i < n) out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    conv_pieces<<<blocks, BLOCK>>>(in, n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}
