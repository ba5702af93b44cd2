// cause: missing_barrier line 33 or 39
// task: conv1d
// The next piece of mask and tile is loaded while slower threads still add up the piece before: no barrier at the end of the loop, so masks of more than one piece are racy.
#include "interface.cuh"

#include <algorithm>

namespace conv {

constexpr int threads = 256;
constexpr int piece = 64;

__device__ inline float sample(const float* in, long n, long k, int ghost) {
  if (k < 0 || k >= n) {
    if (ghost == 0) return 0.f;
    if (ghost == 1) {
      k = k < 0 ? 0 : n - 1;
    } else {
      k = (k % (2 * n) + 2 * n) % (2 * n);
      if (k >= n) k = 2 * n - 1 - k;
    }
  }
  return in[k];
}

__global__ void pieces(const float* in, long n, const float* mask, int width, int ghost, float* out) {
  __shared__ float m[piece];
  __shared__ float data[threads + piece];
  const int t = threadIdx.x;
  const long i0 = long(blockIdx.x) * threads;
  float sum = 0.f;

  for (int begin = 0; begin < width; begin += piece) {
    const int len = min(piece, width - begin);
    if (t < len) m[t] = mask[begin + t];
    for (int c = t; c < threads + len - 1; c += threads)
      data[c] = sample(in, n, i0 + begin - width / 2 + c, ghost);
    __syncthreads();
    for (int j = 0; j < len; ++j) sum += m[j] * data[t + j];
  }

  if (i0 + t < n) out[i0 + t] = sum;
}

}  // namespace conv

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
  const unsigned blocks = unsigned((n + conv::threads - 1) / conv::threads);
  conv::pieces<<<blocks, conv::threads>>>(in, long(n), mask, mask_width, ghost, out);
}
