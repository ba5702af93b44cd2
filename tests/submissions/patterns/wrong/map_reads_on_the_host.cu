// expect: map=crash
// Host code follows a device pointer.
#include "interface.cuh"

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}
