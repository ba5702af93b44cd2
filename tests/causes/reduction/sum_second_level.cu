// cause: not_a_power_of_two line 35
// task: sum
// The second launch has as many threads as there are partial sums and halves that number; where it is no power of two, some partial sums are lost.
#include "interface.cuh"

#include <algorithm>

__global__ void reduce(const double* in, size_t n, double* out) {
  extern __shared__ double cache[];

  double temp = 0;
  for (size_t tid = threadIdx.x + (size_t)blockIdx.x * blockDim.x; tid < n;
       tid += (size_t)blockDim.x * gridDim.x)
    temp += in[tid];
  cache[threadIdx.x] = temp;
  __syncthreads();

  for (int i = blockDim.x / 2; i != 0; i /= 2) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

struct Partials {
  double* ptr = nullptr;
  Partials() { cudaMalloc(&ptr, 1024 * sizeof(double)); }
};

void reduce_sum(const double* in, size_t n, double* out) {
  static Partials partials;
  const int threads = 256;
  int blocks = (int)std::min<size_t>(1024, n / (4 * threads) + 1);
  reduce<<<blocks, threads, threads * sizeof(double)>>>(in, n, partials.ptr);
  int last = blocks;
  reduce<<<1, last, last * sizeof(double)>>>(partials.ptr, blocks, out);
}
