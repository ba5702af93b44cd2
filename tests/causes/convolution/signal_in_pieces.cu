// cause: missing_barrier line 47 or 48
// task: conv1d
// Fast warps load the next piece of taps and signal while slow warps still sum up the previous one, which shows for masks of more than 64 taps.
#include "interface.cuh"

#define BLOCK 256
#define PIECE 64   // taps per round, any mask is taken in as many rounds as it needs

// The signal with its ghost cells.
__device__ float sample(const float *in, long long n, long long k, int ghost)
{
    if (k >= 0 && k < n)
        return in[k];
    if (ghost == 0)
        return 0.0f;
    if (ghost == 1)
        return k < 0 ? in[0] : in[n - 1];
    k %= 2 * n;
    if (k < 0)
        k += 2 * n;
    return k < n ? in[k] : in[2 * n - 1 - k];
}

__global__ void conv1d_kernel(const float *in, long long n, const float *mask, int mask_width,
                              int ghost, float *out)
{
    __shared__ float tile[BLOCK + PIECE - 1];
    __shared__ float taps[PIECE];

    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * BLOCK;
    const long long left = first - mask_width / 2;
    float sum = 0.0f;

    for (int start = 0; start < mask_width; start += PIECE) {
        int count = mask_width - start;
        if (count > PIECE)
            count = PIECE;

        if (t < count)
            taps[t] = mask[start + t];
        for (int k = t; k < BLOCK + count - 1; k += BLOCK)
            tile[k] = sample(in, n, left + start + k, ghost);
        __syncthreads();

        for (int j = 0; j < count; ++j)
            sum += taps[j] * tile[t + j];
    }

    if (first + t < n)
        out[first + t] = sum;
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost,
                 float *out)
{
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    conv1d_kernel<<<blocks, BLOCK>>>(in, (long long)n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    // TODO
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width,
                       int ghost, float *out)
{
    // TODO
}
