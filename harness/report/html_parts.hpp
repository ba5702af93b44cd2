// What the sections of a report's page share: texts, places and the lines of the source as HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

/// With a capital letter at the beginning, if that is a word and no name.
[[nodiscard]] std::string with_capital(std::string_view);

/// A sentence: what stands between backticks is code.
[[nodiscard]] std::string prose(std::string_view, std::size_t max_bytes = 2000);

/// A line of the source. What is at these columns is marked; 0: all of the line.
[[nodiscard]] std::string marked_line(const std::string& text, const std::vector<int>& columns);

/// "bad" for what was judged and is not right.
[[nodiscard]] std::string_view class_of(Verdict);
/// The verdict as a label, with a sign that needs no colour.
[[nodiscard]] std::string verdict_label(Verdict);

/// Indices, from 0: the first of the tasks that have the same causes.
[[nodiscard]] std::size_t first_alike(const Report&, std::size_t task);
/// The ids of elements that links lead to.
[[nodiscard]] std::string task_id(std::size_t task);
[[nodiscard]] std::string cause_id(std::size_t task, std::size_t cause);

/// The file of that name among the style's sources; null: it is not there. A single file is
/// compiled under another name if its own is odd.
[[nodiscard]] const SourceFile* file_named(const Style&, std::string_view name);
/// Without their ends, in which tabs are kept.
[[nodiscard]] std::vector<std::string> lines_of(const SourceFile&);
/// More lines of a file than this are not shown.
inline constexpr std::size_t max_source_lines = 5000;
[[nodiscard]] std::string line_id(const Style&, const SourceFile&, std::size_t line);

/// "student.cu:12:5", and where the page has the source, a link to the line.
[[nodiscard]] std::string place_link(const Style&, const SourceLocation&);

}  // namespace cugrade::report
