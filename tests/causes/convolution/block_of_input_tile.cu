// cause: launch_refused line 49 or 53
// task: conv2d_bytes
// The block is as large as the input tile, which is more than 1024 threads as soon as the mask is wider than 17.
#include "interface.cuh"

// The block has one thread for each cell of the input tile (output tile and halo). All of them
// load, those in the middle compute.

__global__ void convBytes(const unsigned char* in, int width, int height,
                          const unsigned char* mask, int mask_width, int ghost, int tile,
                          unsigned char* out) {
    extern __shared__ unsigned char cells[];

    int side = blockDim.x;
    int r = mask_width / 2;
    int x = (int)blockIdx.x * tile + (int)threadIdx.x - r;
    int y = (int)blockIdx.y * tile + (int)threadIdx.y - r;

    // which cell of the image stands for (x, y)?
    int gx = x, gy = y;
    bool empty = false;
    if (ghost == 0) {
        empty = x < 0 || x >= width || y < 0 || y >= height;
    } else if (ghost == 1) {
        gx = max(0, min(x, width - 1));
        gy = max(0, min(y, height - 1));
    } else {
        while (gx < 0 || gx >= width) gx = gx < 0 ? -1 - gx : 2 * width - 1 - gx;
        while (gy < 0 || gy >= height) gy = gy < 0 ? -1 - gy : 2 * height - 1 - gy;
    }
    cells[threadIdx.y * side + threadIdx.x] = empty ? 0 : in[(long long)gy * width + gx];
    __syncthreads();

    // the threads of the halo have nothing more to do
    int tx = (int)threadIdx.x - r;
    int ty = (int)threadIdx.y - r;
    if (tx < 0 || tx >= tile || ty < 0 || ty >= tile) return;
    if (x >= width || y >= height) return;

    int sum = 0;
    for (int j = 0; j < mask_width; j++)
        for (int k = 0; k < mask_width; k++)
            sum += mask[j * mask_width + k] * cells[(ty + j) * side + tx + k];
    out[(long long)y * width + x] = (unsigned char)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    int tile = 16;
    int side = tile + mask_width - 1;
    dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    dim3 block(side, side);
    convBytes<<<grid, block, side * side>>>(in, width, height, mask, mask_width, ghost, tile, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
