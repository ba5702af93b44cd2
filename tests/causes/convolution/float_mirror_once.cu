// cause: ghost_policy line 14 or 15
// task: conv2d_float
// The mirror is applied once and then clamped, which is wrong where the mask reaches more than a whole image beyond the edge.
#include "interface.cuh"

static __constant__ float M[31 * 31];

template <int GHOST> __device__ int source(int k, int n);

template <> __device__ int source<0>(int k, int n) { return k < 0 || k >= n ? -1 : k; }
template <> __device__ int source<1>(int k, int n) { return min(max(k, 0), n - 1); }
template <> __device__ int source<2>(int k, int n)
{
    if (k < 0) k = -k - 1;
    if (k >= n) k = 2 * n - 1 - k;
    return min(max(k, 0), n - 1);
}

template <int GHOST>
__global__ void convolve(const float* in, int width, int height, int m, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    const int r = m >> 1;
    float s = 0.f;
    for (int j = 0; j < m; j++) {
        int row = source<GHOST>(y + j - r, height);
        if (row < 0) continue;
        const float* line = in + (size_t)row * width;
        for (int k = 0; k < m; k++) {
            int col = source<GHOST>(x + k - r, width);
            if (col >= 0) s = fmaf(M[j * m + k], line[col], s);
        }
    }
    out[(size_t)y * width + x] = s;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    cudaMemcpyToSymbol(M, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 b(32, 4), g((width + b.x - 1) / b.x, (height + b.y - 1) / b.y);
    auto kernel = ghost == 0 ? convolve<0> : ghost == 1 ? convolve<1> : convolve<2>;
    kernel<<<g, b>>>(in, width, height, mask_width, out);
}
