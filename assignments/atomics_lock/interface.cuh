// What you write for the assignment `atomics_lock`. Include this file; leave it as it is.
//
// Every pointer is a device pointer to memory that the grader owns: your host code passes it on to
// kernels and to cudaMemset or cudaMemcpy, and never reads through it. Outputs hold garbage when
// your function is called: initialise what you accumulate in. You may return before the GPU has
// finished; the grader waits.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef CUGRADE_FUNCTION
#define CUGRADE_FUNCTION
#endif

/// Atomic addition of doubles, built from a 64-bit atomicCAS: the instructions atom.add.f64 and
/// red.add.f64 are forbidden in the whole file. Starting from totals of 0, does for every i, in any
/// order, as one indivisible step:
///     before[i] = totals[targets[i]];  totals[targets[i]] += values[i];
/// values, targets, before: n elements, each target below m. totals: m elements. n >= 0, m >= 1.
/// Values are positive integers unless NaN, and every sum is exact.
CUGRADE_FUNCTION void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                                 double* totals, std::size_t m, double* before);

/// The multiplier of the checksum in critical_section.
inline constexpr std::uint64_t checksum_multiplier = 6364136223846793005ull;

/// values: `sections` rows of `length` integers; both >= 1. For each section s, one thread of a
/// block enters a critical section once, and there, in one indivisible step, with v the largest
/// value of the section and p the place of its first occurrence in the whole of `values`
/// (row-major, so that p / length == s):
///     if no section has entered yet, or v > best[0], or v == best[0] and p < best[1]:
///         best[0] = v;  best[1] = p;
///     order[record[0]] = s;                                     // the log of entries
///     record[0] = record[0] + 1;                                // how many have entered
///     record[1] = record[1] * checksum_multiplier + (s + 1);    // modulo 2^64
/// Any order of entries is right, and the checksum record[1] depends on it. record starts as
/// {0, 0}. best: 2 elements, record: 2 elements, order: `sections` elements.
CUGRADE_FUNCTION void critical_section(const std::int32_t* values, std::size_t sections,
                                       std::size_t length, std::int64_t* best,
                                       std::uint64_t* record, std::uint32_t* order);

/// Bank transfers. Account a starts with balance[a] = opening[a], version[a] = 0. For every i, in
/// any order, as one indivisible step that involves both accounts, with f = from[i], t = to[i]:
///     balance[f] -= amount[i];  balance[t] += amount[i];
///     version[f] += 1;          if (t != f) version[t] += 1;
///     receipt[i] = {version[f], version[t], balance[f], balance[t]};      // as they are now
/// A balance may become negative. f == t is allowed. opening, balance, version: `accounts`
/// elements; from, to, amount: n elements; receipt: n rows of 4. n >= 0, accounts >= 1.
CUGRADE_FUNCTION void transfers(const std::int64_t* opening, std::size_t accounts,
                                const std::uint32_t* from, const std::uint32_t* to,
                                const std::int64_t* amount, std::size_t n, std::int64_t* balance,
                                std::uint64_t* version, std::int64_t* receipt);

/// Each atomic operation on a 32-bit and on a 64-bit word. For every i with a = words[i],
/// b = longs[i], in any order, each line as one indivisible step:
///
///   index  operation  starts as   result32 with a, result64 with b
///     0    add        0           w = w + a
///     1    sub        0           w = w - a
///     2    inc        0           w = (w >= limit) ? 0 : w + 1
///     3    dec        0           w = (w == 0 || w > limit) ? limit : w - 1
///     4    min        all ones    w = min(w, a)
///     5    max        0           w = max(w, a)
///     6    and        all ones    w = w & a
///     7    or         0           w = w | a
///     8    xor        0           w = w ^ a
///     9    CAS        1           w = w * (a | 1)
///
/// all unsigned and modulo 2^32 or 2^64; and, with exch, two linked lists of all i:
///     next32[i] = head32[0];  head32[0] = i;        next64[i] = head64[0];  head64[0] = i;
/// whose heads start as all ones, which marks the end. words, longs, next32, next64: n elements;
/// result32, result64: 10 elements; head32, head64: 1 element. n >= 0, and n < 2^32 - 1.
CUGRADE_FUNCTION void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs,
                                 std::size_t n, std::uint32_t limit, std::uint32_t* result32,
                                 std::uint64_t* result64, std::uint32_t* head32,
                                 std::uint64_t* head64, std::uint32_t* next32,
                                 std::uint64_t* next64);
