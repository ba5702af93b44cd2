// cause: tail_ignored line 34
// task: inclusive_float
// only whole float4s are counted as work, so the last one to three elements are never written; shows when n is no multiple of 4
#include "interface.cuh"
#include <cuda_runtime.h>

static const int T = 128;
static const int PER_BLOCK = T * 4;

// loads 4 floats, short ones are padded with zeros
__device__ float4 load4(const float *in, size_t v, size_t n)
{
  if (4 * v + 3 < n) return reinterpret_cast<const float4 *>(in)[v];
  float4 r = make_float4(0, 0, 0, 0);
  if (4 * v     < n) r.x = in[4 * v];
  if (4 * v + 1 < n) r.y = in[4 * v + 1];
  if (4 * v + 2 < n) r.z = in[4 * v + 2];
  return r;
}

__device__ void store4(float *out, size_t v, size_t n, float4 r)
{
  if (4 * v + 3 < n) { reinterpret_cast<float4 *>(out)[v] = r; return; }
  if (4 * v     < n) out[4 * v]     = r.x;
  if (4 * v + 1 < n) out[4 * v + 1] = r.y;
  if (4 * v + 2 < n) out[4 * v + 2] = r.z;
}

__global__ void tile(const float *in, size_t n, float *out, float *sums)
{
  __shared__ float buf[2][T];
  int t = threadIdx.x, cur = 0;
  size_t v = (size_t)blockIdx.x * T + t;
  size_t vectors = n / 4;
  float4 r = make_float4(0, 0, 0, 0);
  if (v < vectors) r = load4(in, v, n);
  r.y += r.x; r.z += r.y; r.w += r.z;

  buf[0][t] = r.w;
  __syncthreads();
  for (int d = 1; d < T; d *= 2) {
    buf[1 - cur][t] = t >= d ? buf[cur][t] + buf[cur][t - d] : buf[cur][t];
    cur = 1 - cur;
    __syncthreads();
  }
  float left = t ? buf[cur][t - 1] : 0.0f;
  r.x += left; r.y += left; r.z += left; r.w += left;
  if (v < vectors) store4(out, v, n, r);
  if (sums && t == T - 1) sums[blockIdx.x] = buf[cur][t];
}

__global__ void add(float *out, size_t n, const float *sums)
{
  size_t i = (size_t)(blockIdx.x + 1) * PER_BLOCK + threadIdx.x;
  float s = sums[blockIdx.x];
  for (int k = 0; k < 4; ++k, i += T)
    if (i < n) out[i] += s;
}

static void go(const float *in, size_t n, float *out, float *tmp)
{
  size_t blocks = (n + PER_BLOCK - 1) / PER_BLOCK;
  float *sums = tmp, *scanned = tmp + (blocks + 3) / 4 * 4;
  tile<<<blocks, T>>>(in, n, out, blocks > 1 ? sums : 0);
  if (blocks > 1) {
    go(sums, blocks, scanned, scanned + (blocks + 3) / 4 * 4);
    add<<<blocks - 1, T>>>(out, n, scanned);
  }
}

void scan_inclusive_float(const float *in, std::size_t n, float *out)
{
  static float *tmp = 0;
  static size_t have = 0;
  size_t want = n / 64 + 128;
  if (want > have) {
    cudaFree(tmp);
    cudaMalloc(&tmp, want * sizeof(float));
    have = want;
  }
  go(in, n, out, tmp);
}
