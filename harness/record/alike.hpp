// Whether a person may take two names for one.
#pragma once

#include <string>
#include <string_view>

namespace cugrade::record {

/// The same for names that differ in case or in how Unicode writes their letters (one character, or
/// a letter and its accent), and for some that only look alike: ASCII in small letters where the C
/// library knows one, else the characters themselves.
[[nodiscard]] std::string as_read(std::string_view name);

}  // namespace cugrade::record
