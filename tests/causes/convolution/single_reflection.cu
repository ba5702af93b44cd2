// cause: ghost_policy line 15 or 16
// task: conv2d_bytes
// the mirrored index is reflected only once and then clamped, which is wrong where the mask reaches more than one image length beyond the edge
#include "interface.cuh"

enum class Policy { Zero = 0, Clamp = 1, Mirror = 2 };

struct Axis {
  int n;
  Policy policy;

  __device__ int operator()(int k) const {
    if (policy == Policy::Zero) return k < 0 || k >= n ? -1 : k;
    if (policy == Policy::Mirror) {
      if (k < 0) k = -k - 1;
      if (k >= n) k = 2 * n - k - 1;
    }
    return k < 0 ? 0 : k >= n ? n - 1 : k;
  }
};

// One thread per column of the tile; rows slide by.
__global__ void convolveBytes(const unsigned char *in, Axis ax, Axis ay, const unsigned char *mask, int mw,
                              unsigned char *out) {
  constexpr int W = 64, H = 8;
  extern __shared__ unsigned char shared[];
  unsigned char *weights = shared;
  unsigned char *tile = shared + mw * mw;
  const int r = mw / 2, pitch = W + mw - 1;

  for (int i = threadIdx.x; i < mw * mw; i += W) weights[i] = mask[i];
  for (int row = 0; row < H + mw - 1; ++row) {
    const int gy = ay(blockIdx.y * H + row - r);
    for (int col = threadIdx.x; col < pitch; col += W) {
      const int gx = ax(blockIdx.x * W + col - r);
      tile[row * pitch + col] = gx < 0 || gy < 0 ? 0 : in[size_t(gy) * ax.n + gx];
    }
  }
  __syncthreads();

  const int x = blockIdx.x * W + threadIdx.x;
  if (x >= ax.n) return;
  for (int row = 0; row < H; ++row) {
    const int y = blockIdx.y * H + row;
    if (y >= ay.n) break;
    int sum = 0;
    for (int j = 0; j < mw; ++j)
      for (int k = 0; k < mw; ++k) sum += weights[j * mw + k] * tile[(row + j) * pitch + threadIdx.x + k];
    out[size_t(y) * ax.n + x] = static_cast<unsigned char>(sum);
  }
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask, int mask_width,
                       int ghost, unsigned char *out) {
  const dim3 grid((width + 63) / 64, (height + 7) / 8);
  const size_t bytes = mask_width * mask_width + (64 + mask_width - 1) * (8 + mask_width - 1);
  const Policy p = static_cast<Policy>(ghost);
  convolveBytes<<<grid, 64, bytes>>>(in, Axis{width, p}, Axis{height, p}, mask, mask_width, out);
}
