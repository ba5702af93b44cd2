// Convolution. The handout says what to do; `make check` grades this file.
#include "interface.cuh"

// One dimension. Steps of a first version:
//   1. one thread per output element; those beyond the end do nothing;
//   2. a function that says which element stands for index k under each ghost policy;
//   3. a loop over the taps, with the sum in a register.
void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

// Two dimensions, bytes: what fits in a byte of the sum is the result.
void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

// Two dimensions, floats.
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}
