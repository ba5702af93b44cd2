// cause: size_in_elements line 17
// task: map
// Four bytes instead of four floats are copied to constant memory, so that only c0 arrives.
#include "interface.cuh"

__constant__ float coef[4];

__global__ void cubic(const float* x, size_t n, float* y) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = x[i];
  y[i] = coef[0] + t * (coef[1] + t * (coef[2] + t * coef[3]));
}

void map_cubic(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y) {
  float host[4] = {c0, c1, c2, c3};
  cudaMemcpyToSymbol(coef, host, 4);
  cubic<<<(n + 127) / 128, 128>>>(x, n, y);
}
