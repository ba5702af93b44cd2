// Slips with types: sums that begin as nothing, numbers that are kept with fewer bits than they
// have. What the text alone shows (slips.hpp).
#pragma once

#include <optional>

#include "judging/edit_text.hpp"

namespace cugrade::edit {

/// `float sum;`, and the next that is done with it is `sum += x` or `sum = sum * y + x`.
[[nodiscard]] std::optional<Cause> begins_as_nothing(const Text&);
/// `int sum = 0;` and `sum += values[i]`, of floats.
[[nodiscard]] std::optional<Cause> drops_fractions(const Text&);
/// `int totals[8];` and `totals[w] = sum`, of a float.
[[nodiscard]] std::optional<Cause> keeps_whole_numbers(const Text&);
/// `int f(long long x) { ... return x; }`.
[[nodiscard]] std::optional<Cause> returns_less(const Text&);
/// `int add(int x)`, which is given a `long long`.
[[nodiscard]] std::optional<Cause> takes_less(const Text&);
/// `(unsigned long long)(unsigned)value << 32 | index`, which is compared: a negative value counts
/// as the largest.
[[nodiscard]] std::optional<Cause> packs_sign(const Text&);

}  // namespace cugrade::edit
