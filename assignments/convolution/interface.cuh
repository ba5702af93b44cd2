// Convolution: the functions to write. Plain C++, so that any compiler takes it.
//
// All pointers are to device memory, aligned to 256 bytes like those from cudaMalloc. Inputs must
// not be changed; outputs hold garbage on entry, and every element must be written. Work may still
// be going on in the default stream when a function returns. With r = mask_width / 2 the result in
// one dimension is
//
//     out[i] = sum over j = 0 ... mask_width - 1 of  mask[j] * in[i - r + j]
//
// (the mask is not turned round), and in two dimensions the same over rows and columns.
// `mask_width` is odd. `ghost` says what stands for an element in[k] outside of the n that are
// there:
//     0  zero
//     1  replicate: the nearest element, in[0] or in[n - 1]
//     2  mirror: the signal reflected at its edges, the edge element itself included, so that
//        in[-1] = in[0], in[-2] = in[1], in[n] = in[n - 1]; where the mask reaches further than n
//        elements beyond the edge, the reflection is reflected again (period 2 n)
#pragma once

#include <cstddef>

#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif

/// One dimension: `in` and `out` have n elements (1 or more), `mask` has mask_width, any odd
/// number. Masks of up to 1024 taps belong in constant memory; longer ones occur.
CUGRADE_FUNCTION void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width,
                                  int ghost, float* out);

/// Two dimensions: `in` and `out` are row-major with `height` rows of `width` bytes; `mask` has
/// mask_width rows of mask_width bytes, 1 to 31. The sum is an integer, stored modulo 256.
CUGRADE_FUNCTION void convolve_2d_bytes(const unsigned char* in, int width, int height,
                                        const unsigned char* mask, int mask_width, int ghost,
                                        unsigned char* out);

/// The same with floats.
CUGRADE_FUNCTION void convolve_2d_float(const float* in, int width, int height, const float* mask,
                                        int mask_width, int ghost, float* out);
