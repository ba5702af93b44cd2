// cause: ghost_policy line 19 or 21
// task: conv1d
// The mirror stands on the edge element and not between the cells (period 2n - 2), as with OpenCV's default border; shows in all cases with mirrored ghost cells and n > 1.
#include "interface.cuh"

enum class Ghost : int { zero = 0, replicate = 1, mirror = 2 };

// index that stands for k, or -1
__device__ long long ghost_index(long long k, long long n, Ghost g)
{
    if (k >= 0 && k < n)
        return k;
    switch (g) {
    case Ghost::replicate:
        return k < 0 ? 0 : n - 1;
    case Ghost::mirror: {
        if (n == 1)
            return 0;
        const long long period = 2 * n - 2;
        k = (k % period + period) % period;
        return k < n ? k : period - k;
    }
    default:
        return -1;
    }
}

constexpr int tile = 256;
constexpr int mask_piece = 512;

__global__ void conv1d_pieces(const float* in, long long n, const float* mask, int mask_width, Ghost ghost, float* out)
{
    __shared__ float cells[tile + mask_piece - 1];
    __shared__ float taps[mask_piece];

    const long long first = (long long)blockIdx.x * tile;
    const long long i = first + threadIdx.x;
    const int r = mask_width / 2;

    float sum = 0.0f;
    for (int j0 = 0; j0 < mask_width; j0 += mask_piece) {
        const int width = min(mask_piece, mask_width - j0);
        for (int c = threadIdx.x; c < tile + width - 1; c += tile) {
            const long long k = ghost_index(first - r + j0 + c, n, ghost);
            cells[c] = k < 0 ? 0.0f : in[k];
        }
        for (int j = threadIdx.x; j < width; j += tile)
            taps[j] = mask[j0 + j];
        __syncthreads();
        for (int j = 0; j < width; ++j)
            sum += taps[j] * cells[threadIdx.x + j];
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    const unsigned blocks = static_cast<unsigned>((n + tile - 1) / tile);
    conv1d_pieces<<<blocks, tile>>>(in, static_cast<long long>(n), mask, mask_width, static_cast<Ghost>(ghost), out);
}
