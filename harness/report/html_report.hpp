// A report as a page for a student. It can be read without a script, asks for nothing, and has all
// that the table has: the score, then per task why it fails, its speed and its cases, then the
// source with the same causes in its margin.
//
// The page for staff about a student (record/student_page.cpp) has the same sections below what the
// class's record says.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

struct ReportSections {
    std::string body;  ///< HTML below a heading of the first level
    /// Where links lead within it, and their words: "#task1", "sum".
    std::vector<std::pair<std::string, std::string>> links;
};

/// Of a presentable() report.
[[nodiscard]] ReportSections report_sections(const Report&, const Style&);

/// What the sections need beside the style of all pages.
[[nodiscard]] std::string_view report_style();

}  // namespace cugrade::report
