// cause: wrong_copy_direction line 60
// task: conv2d_float
// Without a direction the copy takes the mask to lie in the host's memory, but the pointer is the device's.
#include "interface.cuh"

// The mask goes to constant memory: all threads of a warp read the same tap.
__constant__ float taps[31 * 31];

enum class Ghost { zero, replicate, mirror };

struct Image {
    const float* data;
    int width, height;
    Ghost ghost;

    __device__ static int inside(int k, int n, Ghost ghost) {
        if (ghost == Ghost::replicate) return min(max(k, 0), n - 1);
        const int period = 2 * n;
        k %= period;
        if (k < 0) k += period;
        return k < n ? k : period - 1 - k;
    }

    __device__ float operator()(int x, int y) const {
        const bool outside = x < 0 || y < 0 || x >= width || y >= height;
        if (outside) {
            if (ghost == Ghost::zero) return 0.0f;
            x = inside(x, width, ghost);
            y = inside(y, height, ghost);
        }
        return data[static_cast<std::size_t>(y) * width + x];
    }
};

__global__ void convolve(Image image, int mask_width, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= image.width || y >= image.height) return;

    const int r = mask_width / 2;
    const float* tap = taps;
    float sum = 0.0f;
    for (int dy = -r; dy <= r; ++dy)
        for (int dx = -r; dx <= r; ++dx)
            sum += *tap++ * image(x + dx, y + dy);
    out[static_cast<std::size_t>(y) * image.width + x] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out) {
    cudaMemcpyToSymbol(taps, mask, sizeof(float) * mask_width * mask_width);
    const dim3 threads(32, 8);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    convolve<<<blocks, threads>>>(Image{in, width, height, static_cast<Ghost>(ghost)}, mask_width, out);
}
