// Whose marks differ between two records of a class, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/report.hpp"
#include "record/record.hpp"

namespace cugrade::record {

/// What counts of a student at an assignment, read back.
struct Standing {
    Grading grading;
    std::optional<Report> report;  ///< absent: it could not be graded
};

/// By assignment and student. Errors: a row was not written by the grader with this key, or its
/// report cannot be read.
[[nodiscard]] Result<std::vector<Standing>> standings(const Record&, const seal::Key&);

struct Change {
    std::string assignment;
    std::string student;
    std::optional<Score> before;  ///< absent: no mark
    std::optional<Score> after;
    std::vector<std::string> why;  ///< one clause each; not empty
};

/// Those with other points: earned, judged or possible. Both by assignment and student.
[[nodiscard]] std::vector<Change> changes(const std::vector<Standing>& before,
                                          const std::vector<Standing>& after);

/// "ada (scan): 70 -> 76 of 100; sum: speed 6 -> 12 (tiers: 3 times the baseline now earns 100 %);
/// another policy", without a line end.
[[nodiscard]] std::string text_of(const Change&);

}  // namespace cugrade::record
