// cause: saturated line 27
// task: conv2d_bytes
// the sum is clipped to 255 instead of being taken modulo 256, which shows as soon as a sum exceeds 255
#include "interface.cuh"
#include <algorithm>

using pixel = unsigned char;

template <int TX, int TY>
struct Tile {
    static constexpr int kMaxR = 15;
    pixel p[TY + 2 * kMaxR][TX + 2 * kMaxR];
    pixel m[31 * 31];
};

__device__ inline int wrap(int k, int n, int ghost) {
    switch (ghost) {
        case 0: return (k < 0 || k >= n) ? -1 : k;
        case 1: return max(0, min(k, n - 1));
        default:
            while (k < 0 || k >= n) k = k < 0 ? -k - 1 : 2 * n - 1 - k;
            return k;
    }
}

__device__ inline pixel to_pixel(unsigned s) {
    return static_cast<pixel>(min(s, 255u));
}

template <int TX, int TY>
__global__ void filter(const pixel* in, int w, int h, const pixel* mask, int mw, int ghost, pixel* out) {
    __shared__ Tile<TX, TY> s;
    const int r = mw / 2;
    const int x0 = blockIdx.x * TX - r, y0 = blockIdx.y * TY - r;
    const int id = threadIdx.y * TX + threadIdx.x;
    for (int k = id; k < mw * mw; k += TX * TY) s.m[k] = mask[k];
    for (int ty = threadIdx.y; ty < TY + 2 * r; ty += TY) {
        const int gy = wrap(y0 + ty, h, ghost);
        for (int tx = threadIdx.x; tx < TX + 2 * r; tx += TX) {
            const int gx = wrap(x0 + tx, w, ghost);
            s.p[ty][tx] = (gx | gy) < 0 ? pixel(0) : in[(size_t)gy * w + gx];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned sum = 0;
    for (int j = 0; j < mw; ++j)
        for (int k = 0; k < mw; ++k)
            sum += unsigned(s.m[j * mw + k]) * s.p[threadIdx.y + j][threadIdx.x + k];
    out[(size_t)y * w + x] = to_pixel(sum);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 block(32, 8);
    dim3 grid((width + 31) / 32, (height + 7) / 8);
    filter<32, 8><<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}
