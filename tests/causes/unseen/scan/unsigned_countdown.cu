// cause: unsigned_index line 38
// task: inclusive_float
// an unsigned index is always >= 0, so the loop over the tiles before this one wraps around and reads out of bounds; shows for every n.
#include "interface.cuh"

#define N_THREADS 256u
#define N_ITEMS 8u
#define TILE_SIZE (N_THREADS * N_ITEMS)

__device__ float reduce_block(float v, float *buf) {
  buf[threadIdx.x] = v;
  __syncthreads();
  for (unsigned s = N_THREADS / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
    __syncthreads();
  }
  float r = buf[0];
  __syncthreads();
  return r;
}

__global__ void totals_kernel(const float *in, size_t n, float *totals) {
  __shared__ float buf[N_THREADS];
  float s = 0.0f;
  for (unsigned k = 0; k < N_ITEMS; k++) {
    size_t i = (size_t)blockIdx.x * TILE_SIZE + k * N_THREADS + threadIdx.x;
    if (i < n) s += in[i];
  }
  s = reduce_block(s, buf);
  if (threadIdx.x == 0) totals[blockIdx.x] = s;
}

__global__ void scan_kernel(const float *in, size_t n, const float *totals, float *out) {
  __shared__ float buf[N_THREADS];

  // what came before this tile
  float before = 0.0f;
  for (unsigned j = blockIdx.x - 1 - threadIdx.x; j >= 0; j -= N_THREADS)
    before += totals[j];
  before = reduce_block(before, buf);

  size_t first = (size_t)blockIdx.x * TILE_SIZE + threadIdx.x * N_ITEMS;
  float x[N_ITEMS], s = 0.0f;
  for (unsigned k = 0; k < N_ITEMS; k++) {
    if (first + k < n) s += in[first + k];
    x[k] = s;
  }

  buf[threadIdx.x] = s;
  __syncthreads();
  for (unsigned d = 1; d < N_THREADS; d <<= 1) {
    float y = 0.0f;
    if (threadIdx.x >= d) y = buf[threadIdx.x - d];
    __syncthreads();
    buf[threadIdx.x] += y;
    __syncthreads();
  }
  if (threadIdx.x > 0) before += buf[threadIdx.x - 1];

  for (unsigned k = 0; k < N_ITEMS; k++)
    if (first + k < n) out[first + k] = before + x[k];
}

void scan_inclusive_float(const float *in, size_t n, float *out) {
  unsigned blocks = (unsigned)((n + TILE_SIZE - 1) / TILE_SIZE);
  float *totals;
  cudaMalloc(&totals, blocks * sizeof *totals);
  totals_kernel<<<blocks, N_THREADS>>>(in, n, totals);
  scan_kernel<<<blocks, N_THREADS>>>(in, n, totals, out);
  cudaFree(totals);
}
