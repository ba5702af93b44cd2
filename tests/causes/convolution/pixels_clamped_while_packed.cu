// cause: saturated line 38
// task: conv2d_bytes
// When four sums are packed into one word, each is cut off at 255 as in image editors, instead of keeping its low eight bits.
#include "interface.cuh"

// A block computes 64 x 16 pixels, four neighbours per thread. The bytes of the tile and its halo lie
// in shared memory; the mask is in constant memory. Each row of the window slides through registers.

using Byte = unsigned char;

constexpr int kMaxMask = 31;
constexpr int kPixels = 4;
constexpr int kBlockX = 16, kBlockY = 16;
constexpr int kTileX = kBlockX * kPixels;
constexpr int kTileY = kBlockY;
constexpr int kPitch = kTileX + kMaxMask + 1;

__constant__ Byte weights[kMaxMask * kMaxMask];

enum Ghost { kZero = 0, kReplicate = 1, kMirror = 2 };

// The index that stands for k in a line of n, or -1 for none.
__device__ int resolve(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == kReplicate) return k < 0 ? 0 : n - 1;
    if (ghost == kMirror) {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }
    return -1;
}

__device__ unsigned pack_pixels(const unsigned (&sum)[kPixels]) {
    unsigned word = 0;
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
        const unsigned pixel = min(sum[p], 255u);
        word |= pixel << (8 * p);
    }
    return word;
}

struct Image {
    const Byte* data;
    int width, height;

    __device__ Byte at(int x, int y, int ghost) const {
        const int column = resolve(x, width, ghost);
        const int row = resolve(y, height, ghost);
        if (column < 0 || row < 0) return 0;
        return data[static_cast<std::size_t>(row) * width + column];
    }
};

__global__ void convolve_tile(Image image, int mask_width, int ghost, Byte* out) {
    __shared__ Byte tile[(kTileY + kMaxMask - 1) * kPitch];
    const int r = mask_width / 2;
    const int left = blockIdx.x * kTileX - r;
    const int top = blockIdx.y * kTileY - r;

    for (int y = threadIdx.y; y < kTileY + mask_width - 1; y += kBlockY)
        for (int x = threadIdx.x; x < kTileX + mask_width - 1; x += kBlockX)
            tile[y * kPitch + x] = image.at(left + x, top + y, ghost);
    __syncthreads();

    const int x0 = threadIdx.x * kPixels;
    unsigned sum[kPixels] = {};
    for (int j = 0; j < mask_width; ++j) {
        const Byte* row = &tile[(threadIdx.y + j) * kPitch + x0];
        unsigned a = row[0], b = row[1], c = row[2];
        for (int k = 0; k < mask_width; ++k) {
            const unsigned d = row[k + 3];
            const unsigned w = weights[j * mask_width + k];
            sum[0] += w * a;
            sum[1] += w * b;
            sum[2] += w * c;
            sum[3] += w * d;
            a = b;
            b = c;
            c = d;
        }
    }

    const int x = blockIdx.x * kTileX + x0;
    const int y = blockIdx.y * kTileY + threadIdx.y;
    if (y >= image.height) return;
    const unsigned word = pack_pixels(sum);
    Byte* target = out + static_cast<std::size_t>(y) * image.width + x;
    if (image.width % 4 == 0 && x < image.width) {
        *reinterpret_cast<unsigned*>(target) = word;
    } else {
        for (int p = 0; p < kPixels && x + p < image.width; ++p)
            target[p] = static_cast<Byte>(word >> (8 * p));
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(weights, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const dim3 block(kBlockX, kBlockY);
    const dim3 grid((width + kTileX - 1) / kTileX, (height + kTileY - 1) / kTileY);
    convolve_tile<<<grid, block>>>(Image{in, width, height}, mask_width, ghost, out);
}
