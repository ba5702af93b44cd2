// expect: sum=launch_error|memory_limit|suspicious
// at-most: sum=0
// An array beyond the device's memory links, and cannot be loaded.
#include "interface.cuh"

__device__ char big[std::size_t{1} << 30][3];
__global__ void touch(double* out) { *out = big[threadIdx.x][1]; }

void reduce_sum(const double*, std::size_t, double* out) { touch<<<1, 1>>>(out); }
