// cause: uninitialised_output line 43 or 44
// task: conv1d
// Every piece of the mask, the first one too, adds to the output, which holds garbage in the beginning; shows with every n.
#include "interface.cuh"

/* A mask of any width: pieces of at most 1024 taps go into constant memory one after the other. */
#define PIECE 1024
__constant__ float piece[PIECE];

#define CLAMP(k, n) ((k) < 0 ? 0 : (k) >= (n) ? (n) - 1 : (k))

__device__ long mirrored(long k, long n)
{
    while (k < 0 || k >= n) {
        if (k < 0) k = -k - 1;
        if (k >= n) k = 2 * n - 1 - k;
    }
    return k;
}

/* taps first ... first + count - 1 */
__global__ void conv_piece(const float *in, long n, int first, int count, int r, int ghost, float *out)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float s = 0;
    for (int j = 0; j < count; j++) {
        long k = i - r + first + j;
        float x;
        if (k >= 0 && k < n)  x = in[k];
        else if (ghost == 0)  x = 0;
        else if (ghost == 1)  x = in[CLAMP(k, n)];
        else                  x = in[mirrored(k, n)];
        s += piece[j] * x;
    }
    out[i] += s;
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost,
                 float *out)
{
    int first, threads = 128;
    for (first = 0; first < mask_width; first += PIECE) {
        int count = mask_width - first;
        if (count > PIECE) count = PIECE;
        cudaMemcpyToSymbol(piece, mask + first, count * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv_piece<<<(n + threads - 1) / threads, threads>>>(in, n, first, count, mask_width / 2, ghost, out);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
