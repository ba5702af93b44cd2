// cause: size_in_elements line 84
// task: conv2d_float
// the copy to constant memory is given the number of taps, so only a quarter of the mask arrives
#include "interface.cuh"

namespace conv2d {

constexpr int block_x = 32, block_y = 8;
constexpr int max_taps = 31 * 31;

__constant__ float weights[max_taps];

struct Shape {
    int width, height;
    __host__ __device__ std::size_t index(int row, int col) const {
        return static_cast<std::size_t>(row) * width + col;
    }
};

template <int Ghost>
__device__ int wrap(int k, int n) {
    if constexpr (Ghost == 0) {
        return k >= 0 && k < n ? k : -1;
    } else if constexpr (Ghost == 1) {
        return k < 0 ? 0 : (k >= n ? n - 1 : k);
    } else {
        const int m = ((k % (2 * n)) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
}

template <int Ghost>
__global__ void kernel(const float* in, Shape shape, int mask_width, float* out) {
    extern __shared__ float tile[];
    const int r = mask_width / 2;
    const int pitch = block_x + mask_width - 1;
    const int rows = block_y + mask_width - 1;

    for (int ty = threadIdx.y; ty < rows; ty += block_y) {
        const int row = wrap<Ghost>(blockIdx.y * block_y + ty - r, shape.height);
        for (int tx = threadIdx.x; tx < pitch; tx += block_x) {
            const int col = wrap<Ghost>(blockIdx.x * block_x + tx - r, shape.width);
            tile[ty * pitch + tx] = row < 0 || col < 0 ? 0.0f : in[shape.index(row, col)];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * block_x + threadIdx.x;
    const int y = blockIdx.y * block_y + threadIdx.y;
    if (x < shape.width && y < shape.height) {
        const float* corner = tile + threadIdx.y * pitch + threadIdx.x;
        const float* w = weights;
        float sum = 0;
        for (int j = 0; j < mask_width; ++j, corner += pitch)
            for (int k = 0; k < mask_width; ++k) sum += *w++ * corner[k];
        out[shape.index(y, x)] = sum;
    }
}

template <int Ghost>
void launch(const float* in, Shape shape, int mask_width, float* out) {
    const dim3 block(block_x, block_y);
    const dim3 grid((shape.width + block_x - 1) / block_x, (shape.height + block_y - 1) / block_y);
    const std::size_t bytes =
        sizeof(float) * (block_x + mask_width - 1) * (block_y + mask_width - 1);
    kernel<Ghost><<<grid, block, bytes>>>(in, shape, mask_width, out);
}

}  // namespace conv2d

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
    const std::size_t taps = static_cast<std::size_t>(mask_width) * mask_width;
    cudaMemcpyToSymbol(conv2d::weights, mask, taps, 0, cudaMemcpyDeviceToDevice);

    const conv2d::Shape shape{width, height};
    if (ghost == 0) conv2d::launch<0>(in, shape, mask_width, out);
    if (ghost == 1) conv2d::launch<1>(in, shape, mask_width, out);
    if (ghost == 2) conv2d::launch<2>(in, shape, mask_width, out);
}
