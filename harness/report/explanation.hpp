// A page of docs/causes/ on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "report/format.hpp"

namespace cugrade::report {

/// The Markdown of such a page as text of the style's width: headings, paragraphs, lists and blocks
/// of code. A link becomes its words and, in brackets, where it leads.
[[nodiscard]] std::string explanation(std::string_view markdown, const Style&);

}  // namespace cugrade::report
