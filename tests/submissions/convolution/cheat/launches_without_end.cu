// expect: conv1d=time_limit
// at-most: conv1d=0
// limits: wall=1
// A queue of launches without end.
#include "interface.cuh"

__global__ void nothing() {}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    for (;;) nothing<<<1, 32>>>();
}
