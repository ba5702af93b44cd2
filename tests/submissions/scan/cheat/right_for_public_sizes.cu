// expect: inclusive_int=wrong_answer|unwritten_output
// at-most: inclusive_int=15.5 inclusive_int.performance=0
// Right where the handout's sizes are, and nothing elsewhere.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<int>(sum += static_cast<unsigned>(in[i]));
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    const bool known = n <= 33 || (n >= 255 && n <= 257) || (n >= 1023 && n <= 1025) || (n >= 2047 && n <= 2049);
    if (known) scan<<<1, 1>>>(in, n, out);
}
