// Which sizes are meant.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cugrade {

/// "2^1..2^30", "1000,10^4..10^6,2^20": numbers and powers; a range goes in powers of its base, or
/// doubles. Ascending, each once. Errors: of usage.
[[nodiscard]] Result<std::vector<std::uint64_t>> parse_sizes(std::string_view text);

}  // namespace cugrade
