// expect: map=compile_error|unwritten_output
// at-most: map=0
// report: *
// A launch of its own that launches nothing.
#include "interface.cuh"

extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return cudaSuccess; }
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t) { return cudaSuccess; }

__global__ void cubic(const float* x, float* y) { *y = *x; }

void map_cubic(const float* x, std::size_t, float, float, float, float, float* y) { cubic<<<1, 1>>>(x, y); }
