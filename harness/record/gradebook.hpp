// gradebook.csv: one row per submission, the same bytes for the same reports.
#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"
#include "record/marks.hpp"

namespace cugrade::record {

struct GradebookRow {
    std::string student;
    std::string assignment;
    const Report* report = nullptr;  ///< null: not graded
    std::string report_file;         ///< relative to the gradebook
    bool is_missing = false;         ///< in the roster, and nothing is handed in
    Mark mark = {};                  ///< of what there is a report of
};

/// RFC 4180: a line of names, then the rows in the order given; lines end with CR LF. Points are
/// those of the judged parts; `mark` is what is left of them (marks.hpp) and `adjustment` why. Last
/// come the points of each task, named like it, with the assignment in front if there are several.
/// An ungraded row has a verdict of harness_error and no points, that of who handed in nothing has
/// `missing`.
[[nodiscard]] std::string gradebook_csv(const std::vector<GradebookRow>&);

}  // namespace cugrade::record
