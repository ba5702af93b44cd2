// A class at a glance, for staff: graded/index.html, and a page of each submission. Pages are whole
// files that ask for nothing else and can be read without JavaScript, which only sorts and filters
// the table of students. The same rows give the same bytes.
#pragma once

#include <string>

#include "core/policy.hpp"
#include "record/class_view.hpp"

namespace cugrade::record {

/// What needs a person comes first; then each assignment's points, tasks, errors, speedups and
/// cases; the time spent; and the table of students.
[[nodiscard]] std::string class_page(const ClassView&);

/// A student at an assignment: the mark, all attempts, and of the one that counts what its report
/// has (report/html_report.hpp); or why it is not graded. The policy is for the tiers; null: the
/// next one is shown.
[[nodiscard]] std::string student_page(const Row&, const GradingPolicy* = nullptr);

/// Where that page lies, seen from the class's.
[[nodiscard]] std::string page_file(const Row&);

}  // namespace cugrade::record
