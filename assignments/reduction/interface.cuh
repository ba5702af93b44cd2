// What you write for the assignment `reduction`. Include this file; leave it as it is.
//
// Every pointer is a device pointer to memory that the grader owns: your host code passes it on to
// kernels and to cudaMemset or cudaMemcpy, and never reads through it. `in` holds n elements, must
// not be changed, is aligned to at least 16 bytes, and is not to be read at all when n is 0. `out`
// is one element, which holds garbage when your function is called. You may return before the GPU
// has finished; the grader waits.
#pragma once

#include <cstddef>

#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif

/// *out = in[0] + ... + in[n - 1] in double precision, in any order; 0 if n is 0.
CUGRADE_FUNCTION void reduce_sum(const double* in, std::size_t n, double* out);

/// *out = the largest of in[0], ..., in[n - 1]; minus infinity if n is 0. No input is a NaN. Where
/// the largest is a zero, either sign will do.
CUGRADE_FUNCTION void reduce_max(const float* in, std::size_t n, float* out);

/// *out = in[0]^3 + ... + in[n - 1]^3 in 64 bits, 0 if n is 0. Where that overflows, the answer is
/// modulo 2^64, which is what two's complement gives.
CUGRADE_FUNCTION void reduce_cubes(const int* in, std::size_t n, long long* out);

/// *out = in[0] + ... + in[n - 1] in 64 bits, 0 if n is 0. The host launches one kernel, and what is
/// left to do the kernels launch themselves.
CUGRADE_FUNCTION void reduce_nested(const int* in, std::size_t n, long long* out);
