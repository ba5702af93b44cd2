// cause: launch_refused line 55 or 50
// task: conv2d_float
// A block has (16 + mask_width - 1)^2 threads, more than 1024 for masks of 19 and wider, and such a launch does not start.
// 2D convolution: the block is as large as the input tile, every thread loads exactly one
// element, and the threads of the halo do nothing afterwards.
#include "interface.cuh"

extern __shared__ float s_in[];

struct Image {
    const float* data;
    int width, height, ghost;

    __device__ static int edge(int k, int n, int ghost) {
        if (ghost == 1) return k < 0 ? 0 : k >= n ? n - 1 : k;
        while (k < 0 || k >= n) k = k < 0 ? -k - 1 : 2 * n - k - 1;
        return k;
    }
    __device__ float get(int y, int x) const {
        if (ghost == 0) {
            if (x < 0 || y < 0 || x >= width || y >= height) return 0.0f;
        } else {
            x = edge(x, width, ghost);
            y = edge(y, height, ghost);
        }
        return data[y * width + x];
    }
};

__global__ void convTile(Image img, const float* mask, int mask_width, int tile, float* out) {
    int side = blockDim.x;
    int r = mask_width / 2;
    int x = blockIdx.x * tile + threadIdx.x - r;
    int y = blockIdx.y * tile + threadIdx.y - r;
    s_in[threadIdx.y * side + threadIdx.x] = img.get(y, x);
    __syncthreads();

    int tx = (int)threadIdx.x - r, ty = (int)threadIdx.y - r;
    if (tx >= 0 && tx < tile && ty >= 0 && ty < tile && x < img.width && y < img.height) {
        float acc = 0.0f;
        for (int j = 0; j < mask_width; j++)
            for (int k = 0; k < mask_width; k++)
                acc += mask[j * mask_width + k] * s_in[(ty + j) * side + tx + k];
        out[y * img.width + x] = acc;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    int tile = 16;
    int side = tile + mask_width - 1;
    dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    size_t bytes = side * side * sizeof(float);
    Image img = {in, width, height, ghost};
    convTile<<<grid, dim3(side, side), bytes>>>(img, mask, mask_width, tile, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}
