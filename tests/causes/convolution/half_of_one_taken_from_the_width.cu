// cause: radius_wrong line 44
// task: conv2d_bytes
// In mask_width - 1 / 2 the division comes first, so the radius is the whole mask width and each sum is taken too far up and left.
#include "interface.cuh"

namespace {

using byte = unsigned char;

enum class Ghost : int { zero = 0, replicate = 1, mirror = 2 };

// A picture in device memory that may be asked for any place.
struct Image {
    const byte* data;
    int width, height;
    Ghost ghost;

    static __device__ int fold(int k, int n) {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }

    __device__ unsigned at(int x, int y) const {
        const bool inside = x >= 0 && y >= 0 && x < width && y < height;
        if (!inside) {
            if (ghost == Ghost::zero) return 0;
            if (ghost == Ghost::replicate) {
                x = min(max(x, 0), width - 1);
                y = min(max(y, 0), height - 1);
            } else {
                x = fold(x, width);
                y = fold(y, height);
            }
        }
        return data[static_cast<std::size_t>(y) * width + x];
    }
};

struct Mask {
    const byte* taps;
    int width;
    __host__ __device__ int count() const { return width * width; }
    __host__ __device__ int radius() const { return width - 1 / 2; }
};

constexpr int kX = 32, kY = 8;

// Tile of the picture and the mask next to each other in dynamic shared memory.
__global__ void convolve(Image image, Mask mask, byte* out) {
    extern __shared__ byte memory[];
    const int r = mask.radius();
    const int tile_w = kX + 2 * r, tile_h = kY + 2 * r;
    byte* const tile = memory;
    byte* const taps = memory + tile_w * tile_h;

    const int me = threadIdx.y * kX + threadIdx.x;
    const int left = static_cast<int>(blockIdx.x) * kX - r;
    const int top = static_cast<int>(blockIdx.y) * kY - r;
    for (int k = me; k < tile_w * tile_h; k += kX * kY)
        tile[k] = static_cast<byte>(image.at(left + k % tile_w, top + k / tile_w));
    for (int k = me; k < mask.count(); k += kX * kY) taps[k] = mask.taps[k];
    __syncthreads();

    const int x = blockIdx.x * kX + threadIdx.x;
    const int y = blockIdx.y * kY + threadIdx.y;
    if (x < image.width && y < image.height) {
        unsigned sum = 0;  // its low eight bits are the result
        for (int j = 0; j < mask.width; ++j) {
            const byte* row = tile + (threadIdx.y + j) * tile_w + threadIdx.x;
            for (int k = 0; k < mask.width; ++k) sum += row[k] * taps[j * mask.width + k];
        }
        out[static_cast<std::size_t>(y) * image.width + x] = static_cast<byte>(sum);
    }
}

}  // namespace

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const Image image{in, width, height, static_cast<Ghost>(ghost)};
    const Mask m{mask, mask_width};
    const dim3 block(kX, kY), grid((width + kX - 1) / kX, (height + kY - 1) / kY);
    const std::size_t shared = (kX + 2 * m.radius()) * (kY + 2 * m.radius()) + m.count();
    convolve<<<grid, block, shared>>>(image, m, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) { /* TODO */ }
void convolve_2d_float(const float*, int, int, const float*, int, int, float*) { /* TODO */ }
