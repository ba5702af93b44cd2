// Which name was meant?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cugrade {

/// The candidate that `name` is most likely a misspelling or the beginning of, or empty. A third of
/// the letters may be wrong, and two in a short name; neighbours that are swapped count as one.
[[nodiscard]] std::string closest(std::string_view name,
                                  const std::vector<std::string>& candidates);

}  // namespace cugrade
