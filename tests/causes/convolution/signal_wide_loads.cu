// cause: misaligned line 33 or 38
// task: conv1d
// Interior tiles are loaded as float4 from the first element of the halo, whose address is a multiple of 16 only if the radius is a multiple of 4.
#include "interface.cuh"

constexpr int kBlock = 128;
constexpr int kPer = 4;
constexpr int kTile = kBlock * kPer;

__constant__ float kTaps[1024];

__device__ __noinline__ float ghostCell(const float* in, long n, long k, int ghost)
{
    if (k >= 0 && k < n) return in[k];
    switch (ghost) {
    case 1:
        return in[k < 0 ? 0 : n - 1];
    case 2: {
        const long p = 2 * n;
        k = (k % p + p) % p;
        return in[k < n ? k : p - 1 - k];
    }
    }
    return 0.0f;
}

__global__ void conv4(const float* __restrict__ in, long n, const float* __restrict__ mask, int m, int ghost, float* __restrict__ out)
{
    extern __shared__ float4 raw[];
    float* tile = reinterpret_cast<float*>(raw);

    const long start = (long)blockIdx.x * kTile;
    const int r = m / 2;
    const long left = start - r;
    const int quads = (kTile + m - 1 + r - m / 2 + 3) / 4;

    if (left >= 0 && left + 4L * quads <= n) {
        const float4* in4 = reinterpret_cast<const float4*>(in + left);
        for (int q = threadIdx.x; q < quads; q += kBlock) raw[q] = in4[q];
    } else {
        for (int c = threadIdx.x; c < 4 * quads; c += kBlock) tile[c] = ghostCell(in, n, left + c, ghost);
    }
    __syncthreads();

    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const float* p = tile + threadIdx.x + r - m / 2;
    for (int j = 0; j < m; ++j) {
        const float w = m <= 1024 ? kTaps[j] : mask[j];
        s0 += w * p[j];
        s1 += w * p[j + kBlock];
        s2 += w * p[j + 2 * kBlock];
        s3 += w * p[j + 3 * kBlock];
    }
    long i = start + threadIdx.x;
    if (i < n) out[i] = s0;
    if ((i += kBlock) < n) out[i] = s1;
    if ((i += kBlock) < n) out[i] = s2;
    if ((i += kBlock) < n) out[i] = s3;
}

void convolve_1d(const float* in, size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    if (mask_width <= 1024)
        cudaMemcpyToSymbolAsync(kTaps, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    const size_t blocks = (n + kTile - 1) / kTile;
    conv4<<<(unsigned)blocks, kBlock, (kTile + mask_width + 8) * sizeof(float)>>>(in, (long)n, mask, mask_width, ghost, out);
}
