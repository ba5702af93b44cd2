// cause: halo_missing line 39
// task: conv1d
// Each of the 256 threads loads at most one element of each halo, so only 256 of the r elements on either side arrive; shows with masks of more than 513 taps.
#include "interface.cuh"

#define BLOCK 256
#define MAX_TAPS 2304

__constant__ float c_mask[MAX_TAPS];

// The element that stands at place k under the ghost policy
__device__ float element(const float* in, long long n, long long k, int ghost)
{
    if (k >= 0 && k < n)
        return in[k];
    if (ghost == 0)
        return 0.0f;
    if (ghost == 1)
        return k < 0 ? in[0] : in[n - 1];

    long long p = k % (2 * n);
    if (p < 0)
        p += 2 * n;
    return p < n ? in[p] : in[2 * n - 1 - p];
}

__global__ void conv_tile(const float* in, long long n, int mask_width, int ghost, float* out)
{
    extern __shared__ float tile[];      // r | BLOCK | r
    int r = mask_width / 2;
    long long first = (long long)blockIdx.x * BLOCK;
    long long i = first + threadIdx.x;

    // own element
    tile[r + threadIdx.x] = element(in, n, i, ghost);

    // halo, left and right
    int h = threadIdx.x;
    if (h < r)
    {
        tile[h] = element(in, n, first - r + h, ghost);
        tile[r + BLOCK + h] = element(in, n, first + BLOCK + h, ghost);
    }
    __syncthreads();

    if (i < n)
    {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; j++)
            sum += c_mask[j] * tile[threadIdx.x + j];
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    cudaMemcpyToSymbol(c_mask, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    size_t shared = (BLOCK + mask_width - 1) * sizeof(float);
    conv_tile<<<blocks, BLOCK, shared>>>(in, (long long)n, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
