// cause: array_too_small line 62
// task: conv2d_bytes
// The shared memory has room for a halo on one side only (side T + r and not T + 2 r), so threads write beyond its end.
#include "interface.cuh"

namespace conv {

constexpr int TX = 32;
constexpr int TY = 8;

__device__ inline int reflect(int i, int n) {
    while (i < 0 || i >= n) i = i < 0 ? -i - 1 : 2 * n - i - 1;
    return i;
}

__device__ inline unsigned char pixel_at(const unsigned char* image, int width, int height, int y,
                                         int x, int ghost) {
    bool outside = x < 0 || y < 0 || x >= width || y >= height;
    if (outside) {
        if (ghost == 0) return 0;
        if (ghost == 1) {
            x = min(max(x, 0), width - 1);
            y = min(max(y, 0), height - 1);
        } else {
            x = reflect(x, width);
            y = reflect(y, height);
        }
    }
    return image[static_cast<std::size_t>(y) * width + x];
}

__global__ void kernel(const unsigned char* image, int width, int height,
                       const unsigned char* mask, int mask_width, int ghost, unsigned char* out) {
    // [ mask | tile ]
    extern __shared__ unsigned char smem[];
    unsigned char* weights = smem;
    unsigned char* tile = smem + mask_width * mask_width;

    const int r = mask_width / 2;
    const int columns = TX + 2 * r, rows = TY + 2 * r;
    const int tid = threadIdx.y * TX + threadIdx.x;

    for (int e = tid; e < mask_width * mask_width; e += TX * TY) weights[e] = mask[e];
    for (int e = tid; e < columns * rows; e += TX * TY) {
        int y = blockIdx.y * TY - r + e / columns;
        int x = blockIdx.x * TX - r + e % columns;
        tile[e] = pixel_at(image, width, height, y, x, ghost);
    }
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    unsigned sum = 0;
    for (int j = 0; j < mask_width; ++j) {
        const unsigned char* row = tile + (threadIdx.y + j) * columns + threadIdx.x;
        for (int k = 0; k < mask_width; ++k) sum += weights[j * mask_width + k] * row[k];
    }
    if (x < width && y < height) out[static_cast<std::size_t>(y) * width + x] = sum & 255;
}

std::size_t shared_bytes(int mask_width) {
    const int r = mask_width / 2;
    return mask_width * mask_width + (TX + r) * (TY + r);
}

}  // namespace conv

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    using namespace conv;
    dim3 block(TX, TY);
    dim3 grid((width + TX - 1) / TX, (height + TY - 1) / TY);
    kernel<<<grid, block, shared_bytes(mask_width)>>>(in, width, height, mask, mask_width, ghost,
                                                      out);
}
