// Words for a command line.
#pragma once

#include <string>
#include <string_view>

namespace cugrade {

/// The word as a shell reads it: in quotes unless it is plain.
[[nodiscard]] std::string shell_word(std::string_view);

}  // namespace cugrade
