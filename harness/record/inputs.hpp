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

/// The lines that say by which rules points came about: of the policy, of what it says on running,
/// of the assignment and of the choice of tasks. Points by other rules cannot be compared.
[[nodiscard]] std::string rules_in(std::string_view inputs);

}  // namespace cugrade::record
