// Places in a submission's text where an edit goes.
#pragma once

#include <span>
#include <string_view>

#include "build/build_submission.hpp"
#include "core/source_location.hpp"

namespace cugrade {

/// The first launch of a kernel in plain sight; line 0: there is none.
[[nodiscard]] SourceLocation launch_of(std::string_view kernel, std::span<const SourceFile>);

/// The line behind which a statement of `line` is outside of all `if` and `else` around it: that of
/// the last brace that closes one, or `line`.
[[nodiscard]] int line_behind_branches(std::string_view text, int line);

/// The line of the head of the `if` or `else` that decides whether `line` is run, if that is but a
/// few lines away; else `line`.
[[nodiscard]] int head_of_branch(std::string_view text, int line);

/// The text of a file of this name; empty: there is none.
[[nodiscard]] std::string_view text_of(std::string_view file, std::span<const SourceFile>);

}  // namespace cugrade
