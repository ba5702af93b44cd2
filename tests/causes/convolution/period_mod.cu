// cause: sign_lost line 18
// task: conv1d
// the negative index is converted to size_t by the unsigned period before %, so mirrored cells at the left edge are wrong when 2n is no power of two
#include "interface.cuh"

constexpr int kBlock = 256;
constexpr int kChunk = 512;

// index of the element that stands for k, or -1 for "nothing there"
__device__ long long resolve(long long k, std::size_t n, int ghost)
{
    if (k >= 0 && k < (long long)n)
        return k;
    if (ghost == 0)
        return -1;
    if (ghost == 1)
        return k < 0 ? 0 : (long long)n - 1;
    const std::size_t period = 2 * n;
    long long p = k % period;
    if (p < 0)
        p += period;
    return p < (long long)n ? p : (long long)period - 1 - p;
}

__global__ void conv1d_kernel(const float* __restrict__ in, std::size_t n, const float* __restrict__ mask,
                              int width, int ghost, float* __restrict__ out)
{
    __shared__ float taps[kChunk];
    __shared__ float tile[kBlock + kChunk];

    const long long base = (long long)blockIdx.x * kBlock;
    const int r = width / 2;
    float sum = 0.f;

    for (int start = 0; start < width; start += kChunk) {
        const int len = min(kChunk, width - start);
        __syncthreads();
        for (int t = threadIdx.x; t < len; t += kBlock)
            taps[t] = mask[start + t];
        for (int t = threadIdx.x; t < kBlock + len - 1; t += kBlock) {
            const long long k = resolve(base - r + start + t, n, ghost);
            tile[t] = k < 0 ? 0.f : in[k];
        }
        __syncthreads();
        for (int j = 0; j < len; ++j)
            sum += taps[j] * tile[threadIdx.x + j];
    }
    if (base + threadIdx.x < n)
        out[base + threadIdx.x] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    const unsigned blocks = (unsigned)((n + kBlock - 1) / kBlock);
    conv1d_kernel<<<blocks, kBlock>>>(in, n, mask, mask_width, ghost, out);
}
