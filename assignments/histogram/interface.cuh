// Histogram: the functions to write. Plain C++, so that any compiler takes it.
//
// All pointers are to device memory, aligned to 256 bytes like those from cudaMalloc. Work may
// still be going on in the default stream when a function returns.
#pragma once

#include <cstddef>

#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif

/// Counts how often each byte value occurs.
/// `in`: device memory, n bytes; must not be changed. n may be 0.
/// `bins`: device memory, 256 counters; holds garbage on entry. Afterwards bins[v] is the number of
/// i with in[i] == v. n is below 2^32, so that a counter cannot overflow.
CUGRADE_FUNCTION void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins);

/// Counts how often each value below `bin_count` occurs.
/// `in`: device memory, n values, all below bin_count; must not be changed. n may be 0.
/// `bins`: device memory, bin_count counters; holds garbage on entry. Afterwards bins[v] is the
/// number of i with in[i] == v. bin_count is at least 1 and may be far more than the counters that
/// shared memory holds.
CUGRADE_FUNCTION void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                                     unsigned int bin_count);
