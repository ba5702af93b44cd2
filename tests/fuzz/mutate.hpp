// Changes to PTX texts that mostly leave PTX: lines and operands move, numbers go to their edges,
// types and modifiers change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace cugrade::fuzz {

[[nodiscard]] std::string mutated(const std::string& ptx, std::uint32_t seed);
/// Some statements of `other` put into `ptx`, with registers that `ptx` has.
[[nodiscard]] std::string spliced(const std::string& ptx, const std::string& other,
                                  std::uint32_t seed);

}  // namespace cugrade::fuzz
