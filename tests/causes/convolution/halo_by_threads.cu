// cause: halo_missing line 34
// task: conv1d
// each thread loads at most one element of either halo, so masks with a radius above the 256 threads of a block find holes in it
#include "interface.cuh"

const int BLOCK_SIZE = 256;

__device__ float load(const float *in, long n, long pos, int ghost)
{
    if (pos < 0 || pos >= n) {
        if (ghost == 0)
            return 0;
        if (ghost == 1)
            pos = pos < 0 ? 0 : n - 1;
        if (ghost == 2) {
            pos = pos % (2 * n);
            if (pos < 0)
                pos += 2 * n;
            if (pos >= n)
                pos = 2 * n - 1 - pos;
        }
    }
    return in[pos];
}

__global__ void convolution_1d(const float *in, long n, const float *mask, int radius, int ghost, float *out)
{
    extern __shared__ float cells[];
    float *body = cells + radius;
    long start = (long)blockIdx.x * BLOCK_SIZE;
    int t = threadIdx.x;

    body[t] = load(in, n, start + t, ghost);
    if (t < radius) {
        cells[t] = load(in, n, start - radius + t, ghost);
        body[BLOCK_SIZE + t] = load(in, n, start + BLOCK_SIZE + t, ghost);
    }
    __syncthreads();

    if (start + t < n) {
        float result = 0;
        for (int j = -radius; j <= radius; j++)
            result += mask[radius + j] * body[t + j];
        out[start + t] = result;
    }
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    int grid = (int)((n + BLOCK_SIZE - 1) / BLOCK_SIZE);
    int smem = (BLOCK_SIZE + mask_width - 1) * sizeof(float);
    convolution_1d<<<grid, BLOCK_SIZE, smem>>>(in, (long)n, mask, mask_width / 2, ghost, out);
}
