// cause: saturated line 33
// task: conv2d_bytes
// sums above 255 become 255 as in image processing, where the sum modulo 256 is wanted
#include "interface.cuh"

namespace {

constexpr int TX = 32, TY = 8;
constexpr int MAX_MASK = 31;
constexpr int MAX_R = MAX_MASK / 2;
constexpr int TILE_W = TX + 2 * MAX_R, TILE_H = TY + 2 * MAX_R;

enum class Ghost { zero = 0, replicate = 1, mirror = 2 };

// index of the element that stands for k, or -1 for a zero
__device__ int resolve(int k, int n, Ghost ghost) {
    if (k >= 0 && k < n) return k;
    switch (ghost) {
        case Ghost::replicate:
            return k < 0 ? 0 : n - 1;
        case Ghost::mirror: {
            const int period = 2 * n;
            k %= period;
            if (k < 0) k += period;
            return k < n ? k : period - 1 - k;
        }
        default:
            return -1;
    }
}

__device__ unsigned char to_pixel(unsigned int value) {
    return static_cast<unsigned char>(value > 255 ? 255 : value);
}

__global__ void filter(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int m, Ghost ghost, unsigned char* out) {
    __shared__ unsigned char tile[TILE_H][TILE_W];
    __shared__ unsigned char weight[MAX_MASK * MAX_MASK];

    const int r = m / 2;
    const int thread = threadIdx.y * TX + threadIdx.x;
    const int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY;

    for (int i = thread; i < m * m; i += TX * TY) weight[i] = mask[i];

    // tile with its halo on all four sides, corners included
    for (int ty = threadIdx.y; ty < TY + 2 * r; ty += TY) {
        const int y = resolve(y0 - r + ty, height, ghost);
        for (int tx = threadIdx.x; tx < TX + 2 * r; tx += TX) {
            const int x = resolve(x0 - r + tx, width, ghost);
            tile[ty][tx] =
                x < 0 || y < 0 ? 0 : in[static_cast<std::size_t>(y) * width + x];
        }
    }
    __syncthreads();

    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= width || y >= height) return;

    unsigned int sum = 0;
    for (int j = 0; j < m; ++j) {
        for (int k = 0; k < m; ++k) {
            sum += weight[j * m + k] * tile[threadIdx.y + j][threadIdx.x + k];
        }
    }
    out[static_cast<std::size_t>(y) * width + x] = to_pixel(sum);
}

}  // namespace

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const dim3 block(TX, TY);
    const dim3 grid((width + TX - 1) / TX, (height + TY - 1) / TY);
    filter<<<grid, block>>>(in, width, height, mask, mask_width, static_cast<Ghost>(ghost), out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
