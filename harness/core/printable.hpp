// Text that somebody else chose, made harmless for terminals, logs and other programs' parsers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cugrade {

/// The code point of UTF-8 at `at`, which advances past it; nothing for an invalid byte.
[[nodiscard]] std::optional<char32_t> next_code_point(std::string_view text, std::size_t& at);

/// Makes `text` valid UTF-8 that shows what it is. Escaped visibly are invalid bytes (`\x85`),
/// control characters (`\x1b`, `\u0085`) and what shows nothing or changes the direction of writing
/// (`\u202e`). Line ends and tabs are kept if `lines`, else they become spaces. Applied twice, it
/// changes nothing more.
[[nodiscard]] std::string clean(std::string_view, std::size_t max_bytes, bool lines);

/// clean() for a file name or a message, on one line: line ends are visible, too.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace cugrade
