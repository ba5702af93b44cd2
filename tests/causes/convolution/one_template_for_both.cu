// cause: accumulator_too_narrow line 86
// task: conv2d_bytes
// The sum of the bytes' products is kept in a float, whose 24 bits do not hold the sums of wide masks exactly.
#include "interface.cuh"

#include <type_traits>

// One kernel for both kinds of images: T is the type of the pixels and Sum that of the sum.
namespace {

constexpr int tile = 16;
constexpr int max_mask = 31;
constexpr int side = tile + max_mask - 1;

enum Ghost { zero = 0, replicate = 1, mirror = 2 };

__device__ int inside(int k, int n, int ghost) {
    if (0 <= k && k < n) return k;
    switch (ghost) {
        case replicate:
            return min(max(k, 0), n - 1);
        case mirror:
            k %= 2 * n;
            if (k < 0) k += 2 * n;
            return min(k, 2 * n - 1 - k);
        default:
            return -1;
    }
}

template <typename T, typename Sum>
__device__ T finish(Sum sum) {
    if constexpr (std::is_same<T, unsigned char>::value)
        return static_cast<T>(static_cast<unsigned>(sum));  // modulo 256
    else
        return sum;
}

template <typename T, typename Sum>
__global__ void convolve(const T* in, int width, int height, const T* mask, int mask_width,
                         int ghost, T* out) {
    __shared__ T cell[side][side];
    __shared__ T weight[max_mask * max_mask];

    const int r = mask_width / 2;
    const int used = tile + mask_width - 1;
    const int x0 = blockIdx.x * tile - r;
    const int y0 = blockIdx.y * tile - r;
    const int me = threadIdx.y * tile + threadIdx.x;

    for (int k = me; k < mask_width * mask_width; k += tile * tile) weight[k] = mask[k];
    for (int y = threadIdx.y; y < used; y += tile) {
        const int gy = inside(y0 + y, height, ghost);
        for (int x = threadIdx.x; x < used; x += tile) {
            const int gx = inside(x0 + x, width, ghost);
            cell[y][x] = gx < 0 || gy < 0 ? T(0) : in[std::size_t(gy) * width + gx];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * tile + threadIdx.x;
    const int y = blockIdx.y * tile + threadIdx.y;
    if (x < width && y < height) {
        Sum sum = 0;
        for (int j = 0; j < mask_width; ++j)
            for (int k = 0; k < mask_width; ++k)
                sum += Sum(weight[j * mask_width + k]) * Sum(cell[threadIdx.y + j][threadIdx.x + k]);
        out[std::size_t(y) * width + x] = finish<T>(sum);
    }
}

template <typename T, typename Sum>
void launch(const T* in, int width, int height, const T* mask, int mask_width, int ghost, T* out) {
    const dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    convolve<T, Sum><<<grid, dim3(tile, tile)>>>(in, width, height, mask, mask_width, ghost, out);
}

}  // namespace

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    launch<unsigned char, float>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    launch<float, float>(in, width, height, mask, mask_width, ghost, out);
}
