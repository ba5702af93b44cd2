// cause: missing_warp_sync line 45 or 46
// task: conv1d
// each warp fills a tile of its own and reads it without __syncwarp between, so lanes may read cells that other lanes have yet to write
#include "interface.cuh"

constexpr int kWarps = 4;
constexpr int kPart = 128;                 // taps at a time
constexpr unsigned kAll = 0xffffffffu;

struct WarpTile {
    float cell[32 + kPart];
    float tap[kPart];
};

template <class Index>
__device__ Index place(Index k, Index n, int ghost)
{
    if (ghost == 1)
        return k < 0 ? 0 : k < n ? k : n - 1;
    if (ghost == 2) {
        k = (k % (2 * n) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    return k < n ? k : Index(-1);
}

// No __syncthreads(): every warp works for itself.
__global__ void convolve(const float* in, long long n, const float* mask, int width, int ghost, float* out)
{
    __shared__ WarpTile tiles[kWarps];
    const int lane = threadIdx.x % 32;
    WarpTile& my = tiles[threadIdx.x / 32];
    const long long first = (blockIdx.x * (long long)kWarps + threadIdx.x / 32) * 32;
    if (first >= n)
        return;

    float sum = 0.0f;
    for (int p = 0; p < width; p += kPart) {
        const int taps = min(kPart, width - p);
        for (int c = lane; c < taps; c += 32)
            my.tap[c] = mask[p + c];
        for (int c = lane; c < 31 + taps; c += 32) {
            const long long k = place(first - width / 2 + p + c, n, ghost);
            my.cell[c] = k < 0 ? 0.0f : in[k];
        }
        for (int j = 0; j < taps; ++j)
            sum += my.tap[j] * my.cell[lane + j];
        __syncwarp(kAll);
    }
    if (first + lane < n)
        out[first + lane] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    const int perBlock = kWarps * 32;
    convolve<<<static_cast<unsigned>((n + perBlock - 1) / perBlock), perBlock>>>(in, static_cast<long long>(n), mask,
                                                                                mask_width, ghost, out);
}
