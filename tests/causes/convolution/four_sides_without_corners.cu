// cause: halo_missing line 46 or 47
// task: conv2d_float
// The four sides of the halo are loaded, but its corners are not, so the taps there meet whatever is in shared memory.
#include "interface.cuh"

#define T 16
#define R_MAX 15

__device__ float px(const float* in, int width, int height, int x, int y, int ghost) {
    if (ghost == 0) {
        if (x < 0 || x >= width || y < 0 || y >= height) return 0.0f;
    } else if (ghost == 1) {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
    } else {
        while (x < 0 || x >= width) x = x < 0 ? -x - 1 : 2 * width - 1 - x;
        while (y < 0 || y >= height) y = y < 0 ? -y - 1 : 2 * height - 1 - y;
    }
    return in[(size_t)y * width + x];
}

__global__ void conv2d(const float* in, int width, int height, const float* mask, int mw, int ghost,
                       float* out) {
    __shared__ float s[T + 2 * R_MAX][T + 2 * R_MAX];
    __shared__ float m[(2 * R_MAX + 1) * (2 * R_MAX + 1)];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
    int r = mw / 2;

    // mask
    for (int i = ty * T + tx; i < mw * mw; i += T * T) m[i] = mask[i];

    // centre
    s[ty + r][tx + r] = px(in, width, height, x, y, ghost);

    // left and right
    if (tx < r) {
        s[ty + r][tx] = px(in, width, height, x - r, y, ghost);
        s[ty + r][tx + r + T] = px(in, width, height, x + T, y, ghost);
    }

    // above and below
    if (ty < r) {
        s[ty][tx + r] = px(in, width, height, x, y - r, ghost);
        s[ty + r + T][tx + r] = px(in, width, height, x, y + T, ghost);
    }

    __syncthreads();

    if (x < width && y < height) {
        float sum = 0.0f;
        for (int j = 0; j < mw; j++) {
            for (int k = 0; k < mw; k++) {
                sum += m[j * mw + k] * s[ty + j][tx + k];
            }
        }
        out[(size_t)y * width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    dim3 block(T, T);
    dim3 grid((width + T - 1) / T, (height + T - 1) / T);
    conv2d<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}
