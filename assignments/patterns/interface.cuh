// What you write for the assignment `patterns`. Include this file; leave it as it is.
//
// Every pointer is a device pointer to memory that the grader owns: your host code passes it on to
// kernels and to cudaMemset or cudaMemcpy, and never reads through it. Outputs hold garbage when
// your function is called. Arrays of two dimensions are row-major. You may return before the GPU
// has finished; the grader waits.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif

/// Map: y[i] = c0 + c1 x[i] + c2 x[i]^2 + c3 x[i]^3 for 0 <= i < n, in single precision.
/// x, y: n elements; n >= 1; x is at least 16-byte aligned, and so is y.
CUGRADE_FUNCTION void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y);

/// Gather: out[i] = the sum over k = 0..3 of value[neighbour[i][k]], in any order of the four.
/// value: m elements. neighbour: n rows of 4, each entry below m. out: n elements. n, m >= 1;
/// neighbour is at least 16-byte aligned.
CUGRADE_FUNCTION void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour,
                                 std::size_t n, float* out);

/// Scatter: total[t] = the sum of value[i] over all i with target[i] == t, exact in 64 bits, and
/// 0 for a t that no element aims at. value, target: n elements, each target below m.
/// total: m elements. n >= 0, m >= 1.
CUGRADE_FUNCTION void scatter_add(const std::int32_t* value, const std::uint32_t* target,
                                  std::size_t n, std::size_t m, std::int64_t* total);
