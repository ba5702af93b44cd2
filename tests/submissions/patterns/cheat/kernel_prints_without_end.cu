// expect: map=output_limit|time_limit
// at-most: map=0
// limits: instructions=30000 wall=1
// report: *
// Kernels that print without end.
#include <cstdio>

#include "interface.cuh"

__global__ void print(float* y) {
    for (;;) printf("the quick brown fox jumps over the lazy dog %f\n", static_cast<double>(*y));
}

void map_cubic(const float*, std::size_t, float, float, float, float, float* y) { print<<<64, 256>>>(y); }
