// cause: missing_barrier line 42 or 43
// task: conv1d
// The next piece of the mask and its tile are loaded while slower warps still use the last ones; shows for masks of more than 128 taps.
#include "interface.cuh"

#define BLOCK 128
#define PIECE 128

__device__ static float fetch(const float *in, long long n, long long k, int ghost)
{
    if (k < 0 || k >= n) {
        if (ghost == 0) return 0.f;
        if (ghost == 1) {
            k = k < 0 ? 0 : n - 1;
        } else {
            long long p = 2 * n;
            k = ((k % p) + p) % p;
            if (k >= n) k = p - 1 - k;
        }
    }
    return in[k];
}

__global__ void conv1d_kernel(const float *in, long long n, const float *mask, int m, int ghost, float *out)
{
    __shared__ float s_mask[PIECE];
    __shared__ float s_in[BLOCK + PIECE - 1];

    const int tx = threadIdx.x;
    const long long first = (long long)blockIdx.x * BLOCK - m / 2;
    float acc = 0.f;

    for (int done = 0; done < m; done += PIECE) {
        const int taps = min(PIECE, m - done);

        /* PIECE == BLOCK: one tap for each thread */
        if (tx < taps) s_mask[tx] = mask[done + tx];
        for (int j = tx; j < BLOCK + taps - 1; j += BLOCK)
            s_in[j] = fetch(in, n, first + done + j, ghost);
        __syncthreads();

        for (int j = 0; j < taps; j++)
            acc += s_mask[j] * s_in[tx + j];
    }

    const long long i = (long long)blockIdx.x * BLOCK + tx;
    if (i < n) out[i] = acc;
}

void convolve_1d(const float *in, size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    const unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    conv1d_kernel<<<blocks, BLOCK>>>(in, (long long)n, mask, mask_width, ghost, out);
}
