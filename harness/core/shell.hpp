// Words for a command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade {

/// The word as a shell reads it: in quotes unless it is plain.
[[nodiscard]] std::string shell_word(std::string_view);

/// The words of a line that shell_word() made, with spaces between them. Nothing: the line holds
/// something else, such as a quote that does not end.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace cugrade
