// cause: wrong_stride line 26
// task: map
// the store steps by PER_THREAD instead of by the block width, so results land on the wrong elements; every n above 4 shows it
#include "interface.cuh"

static const int THREADS = 256;
static const int PER_THREAD = 4;

__global__ void cubic(const float *x, unsigned long long n, float4 c, float *y) {
  // a block works on a contiguous piece of THREADS * PER_THREAD elements
  unsigned long long first = (unsigned long long)blockIdx.x * (THREADS * PER_THREAD) + threadIdx.x;
  float v[PER_THREAD];

#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    unsigned long long i = first + k * THREADS;
    v[k] = i < n ? x[i] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    float t = v[k];
    v[k] = c.x + t * (c.y + t * (c.z + t * c.w));
  }
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    unsigned long long i = first + k * PER_THREAD;
    if (i < n) y[i] = v[k];
  }
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y) {
  unsigned grid = (unsigned)((n + THREADS * PER_THREAD - 1) / (THREADS * PER_THREAD));
  cubic<<<grid, THREADS>>>(x, n, make_float4(c0, c1, c2, c3), y);
}
