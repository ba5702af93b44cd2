// expect: inclusive_int=accepted
// at-most: inclusive_int.performance=0
// One thread scans; at the smaller size of the model it does so five times.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out, int times) {
    for (int k = 0; k < times; ++k) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<int>(sum += static_cast<unsigned>(in[i]));
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    if (n > 0) scan<<<1, 1>>>(in, n, out, n < 300000 ? 5 : 1);
}
