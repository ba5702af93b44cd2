// cause: misaligned line 44 or 45
// task: conv2d_float
// The tile is filled by float4 loads at columns that are multiples of 4, but a row begins at a multiple of 16 bytes only if the width is a multiple of 4.
#include "interface.cuh"

// 32 x 8 outputs per block; the halo is rounded up to whole vectors on the left and on the right.
#define TILE_X 32
#define TILE_Y 8
#define MAX_R 15
#define PITCH (TILE_X + 2 * 16)
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

__constant__ float c_mask[(2 * MAX_R + 1) * (2 * MAX_R + 1)];

template <int GHOST>
__device__ __forceinline__ int source(int k, int n) {
    if (GHOST == 0) return (unsigned)k < (unsigned)n ? k : -1;
    if (GHOST == 1) return min(max(k, 0), n - 1);
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

template <int GHOST>
__global__ void __launch_bounds__(TILE_X * TILE_Y)
    conv_kernel(const float* __restrict__ in, int width, int height, int mask_width,
                float* __restrict__ out) {
    __shared__ alignas(16) float tile[TILE_Y + 2 * MAX_R][PITCH];
    const int r = mask_width / 2;
    const int halo = CEIL_DIV(r, 4) * 4;
    const int x0 = blockIdx.x * TILE_X - halo;
    const int y0 = blockIdx.y * TILE_Y - r;
    const int vectors = (TILE_X + 2 * halo) / 4;
    const int rows = TILE_Y + 2 * r;

    for (int v = threadIdx.y * TILE_X + threadIdx.x; v < vectors * rows; v += TILE_X * TILE_Y) {
        const int ty = v / vectors;
        const int tx = v % vectors * 4;
        const int x = x0 + tx;
        const int y = source<GHOST>(y0 + ty, height);
        float4 q = make_float4(0.f, 0.f, 0.f, 0.f);
        if (y >= 0) {
            const float* row = in + (size_t)y * width;
            if (x >= 0 && x + 3 < width) {
                q = *reinterpret_cast<const float4*>(row + x);
            } else {
                int s;
                if ((s = source<GHOST>(x + 0, width)) >= 0) q.x = row[s];
                if ((s = source<GHOST>(x + 1, width)) >= 0) q.y = row[s];
                if ((s = source<GHOST>(x + 2, width)) >= 0) q.z = row[s];
                if ((s = source<GHOST>(x + 3, width)) >= 0) q.w = row[s];
            }
        }
        *reinterpret_cast<float4*>(&tile[ty][tx]) = q;
    }
    __syncthreads();

    const int x = blockIdx.x * TILE_X + threadIdx.x;
    const int y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    float acc = 0.f;
    const float* m = c_mask;
    for (int j = 0; j < mask_width; ++j) {
        const float* t = &tile[threadIdx.y + j][threadIdx.x + halo - r];
#pragma unroll 4
        for (int k = 0; k < mask_width; ++k) acc = fmaf(*m++, t[k], acc);
    }
    out[(size_t)y * width + x] = acc;
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(c_mask, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    const dim3 block(TILE_X, TILE_Y);
    const dim3 grid(CEIL_DIV(width, TILE_X), CEIL_DIV(height, TILE_Y));
    if (ghost == 0) conv_kernel<0><<<grid, block>>>(in, width, height, mask_width, out);
    if (ghost == 1) conv_kernel<1><<<grid, block>>>(in, width, height, mask_width, out);
    if (ghost == 2) conv_kernel<2><<<grid, block>>>(in, width, height, mask_width, out);
}
