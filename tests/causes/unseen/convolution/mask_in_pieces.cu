// cause: tail_ignored line 51
// task: conv1d
// A mask wider than constant memory's 1024 taps is taken in whole pieces only, the number of which is rounded down; the last tap of 1025 and of 2049 is left out.
#include "interface.cuh"

#define CMASK 1024
#define THREADS 256

__constant__ float c_mask[CMASK];

__device__ float cell(const float *in, long n, long k, int ghost)
{
    if (k < 0 || k >= n) {
        if (ghost == 0)
            return 0.0f;
        if (ghost == 1)
            k = k < 0 ? 0 : n - 1;
        else {
            while (k < 0 || k >= n)
                k = k < 0 ? -k - 1 : 2 * n - 1 - k;
        }
    }
    return in[k];
}

/* adds taps [first, first + count) of the mask */
__global__ void add_piece(const float *in, long n, int first, int count, int r, int ghost, float *out)
{
    extern __shared__ float s[];
    long base = (long)blockIdx.x * THREADS;
    long i = base + threadIdx.x;
    int k;
    float sum;

    for (k = threadIdx.x; k < THREADS + count - 1; k += THREADS)
        s[k] = cell(in, n, base - r + first + k, ghost);
    __syncthreads();

    if (i >= n)
        return;
    sum = first == 0 ? 0.0f : out[i];
    for (k = 0; k < count; k++)
        sum += c_mask[k] * s[threadIdx.x + k];
    out[i] = sum;
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    unsigned int blocks = (unsigned int)((n + THREADS - 1) / THREADS);
    int piece = mask_width < CMASK ? mask_width : CMASK;
    int pieces = mask_width / piece;

    for (int p = 0; p < pieces; p++) {
        int first = p * piece;
        int count = mask_width - first < piece ? mask_width - first : piece;
        cudaMemcpyToSymbol(c_mask, mask + first, count * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        add_piece<<<blocks, THREADS, (THREADS + count - 1) * sizeof(float)>>>(in, (long)n, first, count, mask_width / 2,
                                                                             ghost, out);
    }
}
