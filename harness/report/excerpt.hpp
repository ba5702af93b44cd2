// Lines of the source beside what is said about them: which part of a line is meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cause.hpp"

namespace cugrade::report {

/// A part of a line, in bytes.
struct Marks {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The word at the column, which counts from 1; all of the text if the column is not known. Cuts no
/// character in two.
[[nodiscard]] Marks marks_of(std::string_view text, int column);

/// The columns of the cause's places at a line; 0 where the column is not known. Empty: it has no
/// place there.
[[nodiscard]] std::vector<int> columns_at(const Cause&, std::string_view file, int line);

/// The line below a line: carets below what is marked.
[[nodiscard]] std::string carets(const std::string& text, const std::vector<int>& columns);

/// Spaces with which all lines of the excerpt begin.
[[nodiscard]] std::size_t common_indentation(std::span<const SourceLine>);

}  // namespace cugrade::report
