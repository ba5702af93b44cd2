// cause: ghost_policy line 30
// task: conv2d_float
// The mirror image at the left and upper edge leaves the edge element out; shows for the mirror policy at these edges.
#include "interface.cuh"

namespace {

constexpr int kMaxMask = 31;
constexpr int kRows = 4;   // outputs per thread, one below the other
constexpr int kX = 32, kY = 4;

__constant__ float weights[kMaxMask * kMaxMask];

struct ZeroGhost {
    __device__ static bool map(int& k, int n) { return k >= 0 && k < n; }
};

struct EdgeGhost {
    __device__ static bool map(int& k, int n)
    {
        k = min(max(k, 0), n - 1);
        return true;
    }
};

struct MirrorGhost {
    __device__ static bool map(int& k, int n)
    {
        while (k < 0 || k >= n)
            k = k < 0 ? -k : 2 * n - 1 - k;
        return true;
    }
};

template <class Ghost>
__global__ void stencil(const float* __restrict__ in, int width, int height, int m, float* __restrict__ out)
{
    extern __shared__ float tile[];
    const int pitch = kX + m - 1;
    const int rows = kY * kRows + m - 1;
    const int x0 = blockIdx.x * kX, y0 = blockIdx.y * kY * kRows;

    for (int ty = threadIdx.y; ty < rows; ty += kY) {
        for (int tx = threadIdx.x; tx < pitch; tx += kX) {
            int gx = x0 + tx - m / 2, gy = y0 + ty - m / 2;
            const bool there = Ghost::map(gx, width) & Ghost::map(gy, height);
            tile[ty * pitch + tx] = there ? in[std::size_t(gy) * width + gx] : 0.0f;
        }
    }
    __syncthreads();

    float acc[kRows] = {};
    for (int j = 0; j < m; ++j) {
        for (int k = 0; k < m; ++k) {
            const float w = weights[j * m + k];
#pragma unroll
            for (int q = 0; q < kRows; ++q)
                acc[q] += w * tile[(threadIdx.y * kRows + q + j) * pitch + threadIdx.x + k];
        }
    }

    const int x = x0 + threadIdx.x;
#pragma unroll
    for (int q = 0; q < kRows; ++q) {
        const int y = y0 + threadIdx.y * kRows + q;
        if (x < width && y < height)
            out[std::size_t(y) * width + x] = acc[q];
    }
}

}  // namespace

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out)
{
    cudaMemcpyToSymbol(weights, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const dim3 block(kX, kY);
    const dim3 grid((width + kX - 1) / kX, (height + kY * kRows - 1) / (kY * kRows));
    const std::size_t bytes = sizeof(float) * (kX + mask_width - 1) * (kY * kRows + mask_width - 1);
    auto* kernel = ghost == 0 ? stencil<ZeroGhost> : ghost == 1 ? stencil<EdgeGhost> : stencil<MirrorGhost>;
    kernel<<<grid, block, bytes>>>(in, width, height, mask_width, out);
}
