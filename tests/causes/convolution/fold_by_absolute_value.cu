// cause: ghost_policy line 19
// task: conv2d_float
// The mirror takes -1 for 1 and not for 0, so on the left and at the top it stands on the edge element instead of beside it; shows with ghost 2 and masks from 3 on.
#include "interface.cuh"

__constant__ float taps[31 * 31];

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}
void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

__device__ float pixel(const float* in, int width, int height, int x, int y, int ghost) {
    auto fold = [](int k, int n) {
        int m = abs(k) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    };
    auto clip = [](int k, int n) { return min(max(k, 0), n - 1); };

    bool outside = x < 0 || x >= width || y < 0 || y >= height;
    if (outside) {
        if (ghost == 0) return 0.0f;
        x = ghost == 1 ? clip(x, width) : fold(x, width);
        y = ghost == 1 ? clip(y, height) : fold(y, height);
    }
    return in[size_t(y) * width + x];
}

// One thread goes down a strip of 8 rows of one column.
__global__ void conv_strip(const float* in, int width, int height, int m, int ghost, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    const int r = m / 2;
    const int top = blockIdx.y * 8;
    const int bottom = min(top + 8, height);
    for (int y = top; y < bottom; ++y) {
        float sum = 0.0f;
        const float* tap = taps;
        for (int dy = -r; dy <= r; ++dy)
            for (int dx = -r; dx <= r; ++dx) sum += *tap++ * pixel(in, width, height, x + dx, y + dy, ghost);
        out[size_t(y) * width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(taps, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const dim3 grid((width + 63) / 64, (height + 7) / 8);
    conv_strip<<<grid, 64>>>(in, width, height, mask_width, ghost, out);
}
