// cause: unsigned_index line 14
// task: conv1d
// The place of an element is a size_t, which left of the data is huge instead of negative; shows at the left edge with replicated and mirrored ghost cells.
#include "interface.cuh"

constexpr int kBlock = 256;
constexpr int kConst = 1024;

__constant__ float cMask[kConst];

enum Ghost { Zero = 0, Replicate = 1, Mirror = 2 };

// The element that stands at place k, which may be outside.
__device__ float element(const float* in, std::size_t k, std::size_t n, int ghost)
{
    if (k >= 0 && k < n)
        return in[k];
    switch (ghost) {
    case Replicate:
        return k < 0 ? in[0] : in[n - 1];
    case Mirror:
        k %= 2 * n;
        if (k < 0)
            k += 2 * n;
        return in[k < n ? k : 2 * n - 1 - k];
    default:
        return 0.0f;
    }
}

template <bool Small>
__global__ void conv(const float* in, std::size_t n, const float* mask, int width, int ghost, float* out)
{
    extern __shared__ float tile[];
    const std::size_t start = std::size_t(blockIdx.x) * kBlock;
    const int need = kBlock + width - 1;

    for (int t = threadIdx.x; t < need; t += kBlock)
        tile[t] = element(in, start + t - width / 2, n, ghost);
    __syncthreads();

    const std::size_t i = start + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int j = 0; j < width; ++j)
        sum += (Small ? cMask[j] : mask[j]) * tile[threadIdx.x + j];
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    const unsigned grid = unsigned((n + kBlock - 1) / kBlock);
    const std::size_t shared = (kBlock + mask_width - 1) * sizeof(float);
    if (mask_width <= kConst) {
        cudaMemcpyToSymbol(cMask, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv<true><<<grid, kBlock, shared>>>(in, n, mask, mask_width, ghost, out);
    } else {
        conv<false><<<grid, kBlock, shared>>>(in, n, mask, mask_width, ghost, out);
    }
}
