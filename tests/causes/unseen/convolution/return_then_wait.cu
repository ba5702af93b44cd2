// cause: divergent_barrier line 51 or 53
// task: conv2d_bytes
// Threads beyond the edge of the image return before the barrier that the rest of their block waits at; shows where a size is no multiple of 16.
#include "interface.cuh"

struct Image {
    const unsigned char* pixels;
    int width, height;
};

template <int Policy>
__device__ int place(int k, int n)
{
    if constexpr (Policy == 1) {
        return max(0, min(k, n - 1));
    } else if constexpr (Policy == 2) {
        while (k < 0 || k >= n)
            k = k < 0 ? -k - 1 : 2 * n - k - 1;
        return k;
    } else {
        return k < 0 || k >= n ? -1 : k;
    }
}

constexpr int Side = 16;

template <int Policy>
__global__ void filter(Image image, const unsigned char* mask, int size, unsigned char* out)
{
    __shared__ unsigned char weight[31 * 31];
    __shared__ unsigned char patch[Side + 30][Side + 31];

    const int id = threadIdx.y * Side + threadIdx.x;
    const int extent = Side + size - 1;
    const int left = blockIdx.x * Side - size / 2;
    const int top = blockIdx.y * Side - size / 2;

    for (int i = id; i < size * size; i += Side * Side)
        weight[i] = mask[i];
    for (int i = id; i < extent * extent; i += Side * Side) {
        const int px = place<Policy>(left + i % extent, image.width);
        const int py = place<Policy>(top + i / extent, image.height);
        unsigned char value = 0;
        if (px >= 0 && py >= 0)
            value = image.pixels[(size_t)py * image.width + px];
        patch[i / extent][i % extent] = value;
    }

    const int x = blockIdx.x * Side + threadIdx.x;
    const int y = blockIdx.y * Side + threadIdx.y;
    if (x >= image.width || y >= image.height)
        return;
    __syncthreads();

    unsigned sum = 0;
    for (int j = 0; j < size; ++j)
        for (int k = 0; k < size; ++k)
            sum += weight[j * size + k] * patch[threadIdx.y + j][threadIdx.x + k];
    out[(size_t)y * image.width + x] = static_cast<unsigned char>(sum);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    const Image image{in, width, height};
    const dim3 block(Side, Side), grid((width + Side - 1) / Side, (height + Side - 1) / Side);
    switch (ghost) {
    case 0: filter<0><<<grid, block>>>(image, mask, mask_width, out); break;
    case 1: filter<1><<<grid, block>>>(image, mask, mask_width, out); break;
    case 2: filter<2><<<grid, block>>>(image, mask, mask_width, out); break;
    }
}
