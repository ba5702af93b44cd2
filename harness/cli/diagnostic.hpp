// Prints errors in the user's source as compilers print them.
#pragma once

#include <string>
#include <string_view>

#include "emulator/findings/json.hpp"
#include "emulator/state/machine.hpp"

namespace cugrade::cli {

/// "FILE:LINE:COL: error: message", the line and a caret; a place without a line gives the message
/// alone. The file is named relative to the current folder where it lies below.
[[nodiscard]] std::string diagnostic(std::string_view severity, const emulator::Place&,
                                     std::string_view message);
/// Includes the second line of a race, the kernel, and how often it was seen.
[[nodiscard]] std::string diagnostic(const emulator::Finding&);
/// A fault that ended a kernel, where no checkers were on.
[[nodiscard]] std::string diagnostic(const emulator::Fault&);

}  // namespace cugrade::cli
