// cause: halo_missing line 34
// task: conv2d_bytes
// Two loads per thread fill the tile and its halo only for masks of up to 7 x 7; of larger tiles the lower part is never loaded.
#include "interface.cuh"

const int TILE = 16;
const int MAX_TILE = TILE + 31 - 1;

__device__ unsigned char pixel(const unsigned char* in, int width, int height, int y, int x,
                               int ghost) {
    if (ghost == 0) {
        if (y < 0 || y >= height || x < 0 || x >= width) return 0;
    } else if (ghost == 1) {
        y = min(max(y, 0), height - 1);
        x = min(max(x, 0), width - 1);
    } else {
        y = ((y % (2 * height)) + 2 * height) % (2 * height);
        x = ((x % (2 * width)) + 2 * width) % (2 * width);
        if (y >= height) y = 2 * height - 1 - y;
        if (x >= width) x = 2 * width - 1 - x;
    }
    return in[(size_t)y * width + x];
}

__global__ void tiled_bytes(const unsigned char* in, int width, int height,
                            const unsigned char* __restrict__ mask, int mask_width, int ghost,
                            unsigned char* out) {
    __shared__ unsigned char tile[MAX_TILE][MAX_TILE];

    int r = mask_width / 2;
    int w = TILE + mask_width - 1;  // the tile with its halo is w x w

    // The block has TILE x TILE threads, but the tile has more cells than that, so load in batches.
    for (int batch = 0; batch < 2; ++batch) {
        int dest = batch * TILE * TILE + threadIdx.y * TILE + threadIdx.x;
        int dest_y = dest / w;
        int dest_x = dest % w;
        int src_y = blockIdx.y * TILE + dest_y - r;
        int src_x = blockIdx.x * TILE + dest_x - r;
        if (dest_y < w) tile[dest_y][dest_x] = pixel(in, width, height, src_y, src_x, ghost);
    }
    __syncthreads();

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        unsigned int sum = 0;
        for (int j = 0; j < mask_width; ++j)
            for (int k = 0; k < mask_width; ++k)
                sum += tile[threadIdx.y + j][threadIdx.x + k] * mask[j * mask_width + k];
        out[(size_t)y * width + x] = (unsigned char)sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 threads(TILE, TILE);
    dim3 blocks((width - 1) / TILE + 1, (height - 1) / TILE + 1);
    tiled_bytes<<<blocks, threads>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
