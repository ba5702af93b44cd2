// Patterns of wrong results that tell which elements went into them.
#pragma once

#include <optional>

#include "judging/evidence.hpp"

namespace cugrade::diagnosis {

using Found = std::optional<Diagnosis>;

/// Is the right answer the sums of all elements up to each, with it or without? Integers may wrap
/// around now and then.
[[nodiscard]] bool is_scan(const Evidence&, const Elements& in);

/// Does a histogram have fewer elements than there are, and no bin more than it should?
[[nodiscard]] bool counts_too_few(const Evidence&);

[[nodiscard]] Found part_of_a_reduction(const Evidence&);
[[nodiscard]] Found part_of_each_row(const Evidence&);
[[nodiscard]] Found group_of_its_own(const Evidence&);
[[nodiscard]] Found counted_again(const Evidence&);
[[nodiscard]] Found rest_not_counted(const Evidence&);

}  // namespace cugrade::diagnosis
