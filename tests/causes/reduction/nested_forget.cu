// cause: child_not_in_tail line 36
// task: nested
// The next level is launched by the last thread of block 0 with fire-and-forget, so it may add up partial sums that other blocks have not yet written.
#include "interface.cuh"

#define THREADS 256

__device__ long long warp_add(long long v) {
  v += __shfl_down_sync(~0u, v, 16);
  v += __shfl_down_sync(~0u, v, 8);
  v += __shfl_down_sync(~0u, v, 4);
  v += __shfl_down_sync(~0u, v, 2);
  v += __shfl_down_sync(~0u, v, 1);
  return v;
}

// T is int for the input itself and long long for everything above it
template <typename T>
__global__ void level(const T* src, size_t n, long long* dst, long long* spare, long long* out) {
  __shared__ long long w[THREADS / 32];
  size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
  long long v = i < n ? (long long)src[i] : 0;
  v = warp_add(v);
  if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;
  __syncthreads();

  if (threadIdx.x == 0) {
    for (int k = 1; k < THREADS / 32; k++) v += w[k];
    if (gridDim.x == 1) {
      *out = v;
    } else {
      dst[blockIdx.x] = v;
      if (blockIdx.x == 0) {
        size_t m = gridDim.x;
        unsigned b = (m + THREADS - 1) / THREADS;
        level<long long><<<b, THREADS, 0, cudaStreamFireAndForget>>>(dst, m, spare, dst, out);
      }
    }
  }
}

static long long* pool = 0;
static size_t pool_size = 0;

void reduce_nested(const int* in, size_t n, long long* out) {
  size_t blocks = n ? (n + THREADS - 1) / THREADS : 1;
  if (2 * blocks > pool_size) {
    cudaFree(pool);
    pool_size = 2 * blocks;
    cudaMalloc(&pool, pool_size * sizeof(long long));
  }
  level<int><<<(unsigned)blocks, THREADS>>>(in, n, pool, pool + blocks, out);
}
