// cause: ghost_policy line 19
// task: conv2d_float
// The mirror image is reflected only once at each edge, so that cells further than one image width or height outside count as zero when the mask is wider than the image.
#include "interface.cuh"

#define TILE 16
#define MAX_MASK 31
#define SIDE (TILE + MAX_MASK - 1)

__constant__ float c_mask[MAX_MASK * MAX_MASK];

// Where is the cell k of a row (or a column) of n cells? -1 means that it is zero.
__device__ int ghost_cell(int k, int n, int ghost)
{
    if (ghost == 1) {                   // replicate
        if (k < 0) k = 0;
        if (k > n - 1) k = n - 1;
    } else if (ghost == 2) {            // mirror, the edge cell comes twice
        if (k < 0) k = -k - 1;
        if (k >= n) k = 2 * n - 1 - k;
    }
    if (k < 0 || k >= n) return -1;
    return k;
}

__global__ void convTiled(const float *in, int width, int height, int mw, int ghost, float *out)
{
    __shared__ float tile[SIDE][SIDE];

    int r = mw / 2;
    int side = TILE + mw - 1;
    int x0 = blockIdx.x * TILE - r;     // upper left corner of the tile with its halo
    int y0 = blockIdx.y * TILE - r;

    // load: every thread takes several cells
    for (int ty = threadIdx.y; ty < side; ty += TILE) {
        int gy = ghost_cell(y0 + ty, height, ghost);
        for (int tx = threadIdx.x; tx < side; tx += TILE) {
            int gx = ghost_cell(x0 + tx, width, ghost);
            tile[ty][tx] = (gx < 0 || gy < 0) ? 0.0f : in[(size_t)gy * width + gx];
        }
    }
    __syncthreads();

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < mw; j++)
            for (int k = 0; k < mw; k++)
                sum += c_mask[j * mw + k] * tile[threadIdx.y + j][threadIdx.x + k];
        out[(size_t)y * width + x] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(c_mask, mask, mask_width * mask_width * sizeof(float), 0,
                       cudaMemcpyDeviceToDevice);
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    convTiled<<<grid, block>>>(in, width, height, mask_width, ghost, out);
}
