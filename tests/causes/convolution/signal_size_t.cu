// cause: unsigned_index line 22
// task: conv1d
// The source position is a size_t, so left of the signal it wraps to a huge number: it is never seen as negative and replicate and mirror take the right end.
#include "interface.cuh"

#define CHUNK 512

__constant__ float taps[1024];

__device__ long long resolve(long long k, long long n, int ghost)
{
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    long long p = k % (2 * n);
    if (p < 0) p += 2 * n;
    return p < n ? p : 2 * n - 1 - p;
}

__device__ float fetch(const float *in, size_t n, size_t i, int offset, int ghost)
{
    size_t k = i + offset;
    if (k < 0)
        return ghost == 0 ? 0.0f : in[resolve(k, n, ghost)];
    if (k >= n)
        return ghost == 0 ? 0.0f : in[ghost == 1 ? n - 1 : resolve(k, n, ghost)];
    return in[k];
}

__global__ void conv_tile(const float *in, size_t n, const float *mask, int m, int ghost, float *out)
{
    extern __shared__ float tile[];
    const int r = m / 2;
    const size_t first = (size_t)blockIdx.x * blockDim.x;

    for (int t = threadIdx.x; t < (int)blockDim.x + m - 1; t += blockDim.x)
        tile[t] = fetch(in, n, first, t - r, ghost);
    __syncthreads();

    size_t i = first + threadIdx.x;
    if (i < n) {
        float sum = 0;
        if (m <= 1024)
            for (int j = 0; j < m; j++) sum += taps[j] * tile[threadIdx.x + j];
        else
            for (int j = 0; j < m; j++) sum += mask[j] * tile[threadIdx.x + j];
        out[i] = sum;
    }
}

void convolve_1d(const float *in, size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    if (mask_width <= 1024)
        cudaMemcpyToSymbol(taps, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    size_t shared = (CHUNK + mask_width - 1) * sizeof(float);
    conv_tile<<<(unsigned)((n + CHUNK - 1) / CHUNK), CHUNK, shared>>>(in, n, mask, mask_width, ghost, out);
}
