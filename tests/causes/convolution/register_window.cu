// cause: mask_reversed line 50
// task: conv1d
// the mask is turned round (true convolution), which shows for every mask that is not symmetric
#include "interface.cuh"

namespace {

constexpr int kThreads = 128;
constexpr int kOut = 4;                       // outputs of one thread
constexpr int kSpan = kThreads * kOut;        // outputs of one block

__constant__ float c_taps[1024];

__device__ float pick(const float* __restrict__ in, long long k, long long n, int ghost) {
  if (k >= 0 && k < n) return in[k];
  if (ghost == 0) return 0.0f;
  if (ghost == 1) return in[k < 0 ? 0 : n - 1];
  long long q = k % (2 * n);
  q = q < 0 ? q + 2 * n : q;
  return in[q < n ? q : 2 * n - 1 - q];
}

struct FromConstant {
  __device__ float operator()(int j) const { return c_taps[j]; }
};

struct FromGlobal {
  const float* p;
  __device__ float operator()(int j) const { return __ldg(p + j); }
};

template <class Taps>
__global__ void conv(const float* __restrict__ in, long long n, Taps taps, int width, int ghost,
                     float* __restrict__ out) {
  extern __shared__ float tile[];
  const long long first = (long long)blockIdx.x * kSpan;
  const int need = kSpan + width - 1;
  for (int t = threadIdx.x; t < need; t += kThreads)
    tile[t] = pick(in, first - width / 2 + t, n, ghost);
  __syncthreads();

  float acc[kOut] = {};
  float win[kOut];
  const float* mine = tile + threadIdx.x * kOut;
#pragma unroll
  for (int o = 0; o < kOut - 1; ++o) win[o] = mine[o];

  for (int j = 0; j < width; ++j) {
    win[kOut - 1] = mine[j + kOut - 1];
    const float m = taps(width - 1 - j);
#pragma unroll
    for (int o = 0; o < kOut; ++o) acc[o] += m * win[o];
#pragma unroll
    for (int o = 0; o < kOut - 1; ++o) win[o] = win[o + 1];
  }

#pragma unroll
  for (int o = 0; o < kOut; ++o) {
    const long long i = first + threadIdx.x * kOut + o;
    if (i < n) out[i] = acc[o];
  }
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out) {
  const unsigned grid = static_cast<unsigned>((n + kSpan - 1) / kSpan);
  const std::size_t bytes = (kSpan + mask_width - 1) * sizeof(float);
  if (mask_width <= 1024) {
    cudaMemcpyToSymbol(c_taps, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    conv<<<grid, kThreads, bytes>>>(in, (long long)n, FromConstant{}, mask_width, ghost, out);
  } else {
    conv<<<grid, kThreads, bytes>>>(in, (long long)n, FromGlobal{mask}, mask_width, ghost, out);
  }
}
