// expect: max=wrong_answer
// FLT_MIN is the smallest positive normal number, not the most negative one.
#include <cfloat>

#include "interface.cuh"

__global__ void reduce(const float* in, std::size_t n, float* out) {
    float largest = FLT_MIN;
    for (std::size_t i = threadIdx.x; i < n; i += 32) largest = fmaxf(largest, in[i]);
    for (int d = 16; d > 0; d /= 2) {
        largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, d));
    }
    if (threadIdx.x == 0) *out = n == 0 ? -INFINITY : largest;
}

void reduce_max(const float* in, std::size_t n, float* out) { reduce<<<1, 32>>>(in, n, out); }
