// expect: sum=suspicious|memory_limit|launch_error|compile_error
// at-most: sum=0
// An array of a tebibyte does not load, and on some machines it does not link.
#include "interface.cuh"

__device__ char big[1ull << 40];
__global__ void touch(double* out) { *out = big[threadIdx.x]; }

void reduce_sum(const double*, std::size_t, double* out) { touch<<<1, 1>>>(out); }
