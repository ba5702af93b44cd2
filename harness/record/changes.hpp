// Whose marks differ between two records of a class, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/rows.hpp"

namespace cugrade::record {

struct Change {
    std::string assignment;
    std::string student;
    std::optional<double> before;  ///< the mark; absent: there is none
    std::optional<double> after;
    double possible = 0;  ///< points, after
    double possible_before = 0;
    std::vector<std::string> why;  ///< one clause each; not empty
};

/// Who has another mark, or the same with other points of the report: earned, judged or possible.
/// Where one class has no rules, because an older cugrade has written its record, those of the
/// other hold for both.
[[nodiscard]] std::vector<Change> changes(const Class& before, const Class& after);
/// Whether `before` has got a grading or a decision since `after` did: then `after` is no later
/// state of it, but a copy of an earlier one.
[[nodiscard]] bool is_from_before(const Class& after, const Class& before);

/// "ada (scan): 70 -> 76 of 100; sum: speed 6 -> 12 (tiers: 3 times the baseline now earns 100 %);
/// another policy", without a line end.
[[nodiscard]] std::string text_of(const Change&);

}  // namespace cugrade::record
