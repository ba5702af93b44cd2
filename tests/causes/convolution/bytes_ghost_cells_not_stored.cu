// cause: uninitialised_shared line 39
// task: conv2d_bytes
// Cells of the tile outside of the image are skipped instead of set to 0: garbage near the edges with ghost policy 0.

#include "interface.cuh"

// byte convolution: one block = one tile of the output, threads walk over the input tile

namespace bytes {

constexpr int W = 64;        // tile
constexpr int H = 16;
constexpr int THREADS = 256;

// Moves k to the element that stands for it. False if there is none (policy 0).
__device__ bool resolve(int& k, int n, int ghost) {
    if (k >= 0 && k < n) return true;
    if (ghost == 0) return false;
    if (ghost == 1) {
        k = k < 0 ? 0 : n - 1;
    } else {
        const int period = 2 * n;
        int phase = k % period;
        if (phase < 0) phase += period;
        k = min(phase, period - 1 - phase);
    }
    return true;
}

struct Tile {
    unsigned char* cell;
    int cols, rows;

    __device__ void load(const unsigned char* in, int width, int height, int x0, int y0, int ghost) {
        for (int p = threadIdx.x; p < cols * rows; p += THREADS) {
            int x = x0 + p % cols;
            int y = y0 + p / cols;
            const bool there = resolve(x, width, ghost) && resolve(y, height, ghost);
            if (there) cell[p] = in[(size_t)y * width + x];
        }
    }
    __device__ unsigned operator()(int x, int y) const { return cell[y * cols + x]; }
};

__global__ void convolve(const unsigned char* in, int width, int height, const unsigned char* mask,
                         int m, int ghost, unsigned char* out) {
    extern __shared__ unsigned char memory[];
    __shared__ unsigned char taps[31 * 31];
    Tile tile{memory, W + m - 1, H + m - 1};

    const int left = blockIdx.x * W;
    const int top = blockIdx.y * H;
    tile.load(in, width, height, left - m / 2, top - m / 2, ghost);
    for (int i = threadIdx.x; i < m * m; i += THREADS) taps[i] = mask[i];
    __syncthreads();

    for (int p = threadIdx.x; p < W * H; p += THREADS) {
        const int x = p % W, y = p / W;
        if (left + x >= width || top + y >= height) continue;
        unsigned sum = 0;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k) sum += taps[j * m + k] * tile(x + k, y + j);
        // only the low byte is wanted
        out[(size_t)(top + y) * width + left + x] = static_cast<unsigned char>(sum);
    }
}

}  // namespace bytes

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    using namespace bytes;
    const dim3 grid((width + W - 1) / W, (height + H - 1) / H);
    const size_t shared = (W + mask_width - 1) * (H + mask_width - 1);
    bytes::convolve<<<grid, THREADS, shared>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
