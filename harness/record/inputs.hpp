// All that a report depends on, as text: one line for each, "<name> <value>".
#pragma once

#include <string>
#include <string_view>

namespace cugrade::record {

/// The value of a line; empty if there is none.
[[nodiscard]] std::string_view value_in(std::string_view inputs, std::string_view name);
/// The same lines, with another value in this one.
[[nodiscard]] std::string with_value(std::string_view inputs, std::string_view name,
                                     std::string_view value);

}  // namespace cugrade::record
