// gradebook.csv: one row per submission, the same bytes for the same reports.
#pragma once

#include <string>
#include <vector>

#include "record/rows.hpp"

namespace cugrade::record {

/// RFC 4180: a line of names, then the rows in the order given, without those that are not graded
/// yet; lines end with CR LF. Points are those of the judged parts; `mark` is what is left of them,
/// or what a person decided (marks.hpp), and `adjustment` why. Last come the points of each task,
/// named like it, with the assignment in front if there are several. A row of which no attempt
/// counts has a verdict of harness_error and no points, that of who handed in nothing `missing`.
[[nodiscard]] std::string gradebook_csv(const std::vector<Row>&);

}  // namespace cugrade::record
