// What you write for the assignment `scan`. Include this file; leave it as it is.
//
// Every pointer is a device pointer to memory that the grader owns: your host code passes it on to
// kernels and to cudaMemset or cudaMemcpy, and never reads through it. `in` and `out` hold n elements
// each, n >= 1, do not overlap, and are aligned to at least 16 bytes. `in` must not be changed; `out`
// holds garbage when your function is called. You may return before the GPU has finished; the grader
// waits.
//
//   inclusive   out[i] = in[0] + ... + in[i]
//   exclusive   out[i] = in[0] + ... + in[i - 1], and out[0] = 0
//
// Sums of ints are modulo 2^32, as the hardware adds: a sum above 2147483647 goes on from
// -2147483648. Sums of floats are made in single precision, in any order and with any brackets;
// but nothing may enter out[i] that its definition does not name, not even to be subtracted again.
#pragma once

#include <cstddef>

#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif

CUGRADE_FUNCTION void scan_inclusive_int(const int* in, std::size_t n, int* out);
CUGRADE_FUNCTION void scan_exclusive_int(const int* in, std::size_t n, int* out);
CUGRADE_FUNCTION void scan_inclusive_float(const float* in, std::size_t n, float* out);
CUGRADE_FUNCTION void scan_exclusive_float(const float* in, std::size_t n, float* out);
