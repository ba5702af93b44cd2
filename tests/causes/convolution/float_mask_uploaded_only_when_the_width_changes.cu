// cause: state_kept_between_calls line 75
// task: conv2d_float
// The mask is only copied when its width differs from the last call's: a second call with another mask of the same width uses the old weights.

#include "interface.cuh"

constexpr int TX = 32;
constexpr int TY = 8;
constexpr int MAX_MASK = 31;

__constant__ float weights[MAX_MASK * MAX_MASK];

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

// ---------------------------------------------------------------- 2D, floats

__device__ inline int outside(int k, int n, int ghost) {
    if (ghost == 1) return min(max(k, 0), n - 1);
    if (ghost == 2) {
        k = k < 0 ? -k - 1 : k;   // at the left edge
        k %= 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }
    return (k < 0 || k >= n) ? -1 : k;
}

struct Picture {
    const float* pixel;
    int width, height, ghost;

    __device__ float at(int x, int y) const {
        const int sx = outside(x, width, ghost);
        const int sy = outside(y, height, ghost);
        if (sx < 0 || sy < 0) return 0.0f;
        return pixel[(size_t)sy * width + sx];
    }
};

__global__ void blur(Picture src, int m, float* out) {
    extern __shared__ float cache[];
    const int r = m / 2;
    const int pitch = TX + m - 1;
    const int rows = TY + m - 1;
    const int x0 = blockIdx.x * TX - r;
    const int y0 = blockIdx.y * TY - r;

    for (int row = threadIdx.y; row < rows; row += TY)
        for (int col = threadIdx.x; col < pitch; col += TX)
            cache[row * pitch + col] = src.at(x0 + col, y0 + row);
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x;
    const int y = blockIdx.y * TY + threadIdx.y;
    if (x >= src.width || y >= src.height) return;

    float sum = 0.0f;
    const float* corner = cache + threadIdx.y * pitch + threadIdx.x;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            sum = fmaf(weights[j * m + k], corner[j * pitch + k], sum);
    out[(size_t)y * src.width + x] = sum;
}

// copies the mask into constant memory
static void upload_mask(const float* mask, int m) {
    static int uploaded = 0;  // width of the mask that is there
    if (m == uploaded) return;
    cudaMemcpyToSymbol(weights, mask, sizeof(float) * m * m, 0, cudaMemcpyDeviceToDevice);
    uploaded = m;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    upload_mask(mask, mask_width);
    const dim3 block(TX, TY);
    const dim3 grid((width + TX - 1) / TX, (height + TY - 1) / TY);
    const size_t bytes = sizeof(float) * (TX + mask_width - 1) * (TY + mask_width - 1);
    blur<<<grid, block, bytes>>>(Picture{in, width, height, ghost}, mask_width, out);
}
