// cause: misaligned line 52 or 54
// task: conv2d_bytes
// four results are stored as one 32-bit word, whose address is no multiple of 4 in the rows of an image with an odd width
#include "interface.cuh"

namespace conv {

constexpr int BX = 32, BY = 8, PX = 4;
constexpr int TW = BX * PX;

struct Image {
    const unsigned char* p;
    int w, h, ghost;

    __device__ static int fold(int k, int n) {
        const int period = 2 * n;
        k = ((k % period) + period) % period;
        return k < n ? k : period - 1 - k;
    }
    __device__ unsigned char at(int y, int x) const {
        if (x >= 0 && y >= 0 && x < w && y < h) return p[size_t(y) * w + x];
        switch (ghost) {
            case 1: return p[size_t(min(max(y, 0), h - 1)) * w + min(max(x, 0), w - 1)];
            case 2: return p[size_t(fold(y, h)) * w + fold(x, w)];
        }
        return 0;
    }
};

__global__ void kernel(Image img, const unsigned char* mask, int mw, unsigned char* out) {
    extern __shared__ unsigned char tile[];
    const int r = mw / 2, pitch = TW + mw - 1;
    const int x0 = blockIdx.x * TW, y0 = blockIdx.y * BY;
    for (int row = threadIdx.y; row < BY + mw - 1; row += BY)
        for (int col = threadIdx.x; col < pitch; col += BX)
            tile[row * pitch + col] = img.at(y0 + row - r, x0 + col - r);
    __syncthreads();

    const int x = x0 + threadIdx.x * PX, y = y0 + threadIdx.y;
    if (x >= img.w || y >= img.h) return;

    unsigned acc[PX] = {0, 0, 0, 0};
    for (int j = 0; j < mw; ++j) {
        const unsigned char* line = tile + (threadIdx.y + j) * pitch + threadIdx.x * PX;
        for (int k = 0; k < mw; ++k) {
            const unsigned m = mask[j * mw + k];
            for (int o = 0; o < PX; ++o) acc[o] += m * line[k + o];
        }
    }

    unsigned char* dst = out + size_t(y) * img.w + x;
    if (x + PX <= img.w) {
        const unsigned word = (acc[0] & 255u) | (acc[1] & 255u) << 8 | (acc[2] & 255u) << 16 | acc[3] << 24;
        *reinterpret_cast<unsigned*>(dst) = word;
    } else {
        for (int o = 0; o < PX && x + o < img.w; ++o) dst[o] = static_cast<unsigned char>(acc[o]);
    }
}

}  // namespace conv

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out) {
    using namespace conv;
    dim3 grid((width + TW - 1) / TW, (height + BY - 1) / BY);
    size_t shared = size_t(TW + mask_width - 1) * (BY + mask_width - 1);
    kernel<<<grid, dim3(BX, BY), shared>>>(Image{in, width, height, ghost}, mask, mask_width, out);
}
