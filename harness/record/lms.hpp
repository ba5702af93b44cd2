// Marks as learning management systems import them.
#pragma once

#include <string>
#include <vector>

#include "record/rows.hpp"

namespace cugrade::record {

/// Canvas, Grades > Import, of the rows of the roster's students that have a mark: one row per
/// student in the order of their first mark, one column per assignment, with its title, and the
/// points possible in the second line. Canvas finds a student by ID (`lms_id`), else by SIS User ID
/// (`id`). Whoever has no mark has an empty field, which Canvas leaves as it is.
[[nodiscard]] std::string canvas_csv(const std::vector<Row>&);

/// Moodle, an assignment > Upload grading worksheet, for the hand-ins of one assignment. Moodle
/// wants the columns Identifier, Grade and Last modified (grade), and finds a student by the first
/// (mod/assign/feedback/offline/importgradeslib.php). Hand-ins without its number are left out.
[[nodiscard]] std::string moodle_csv(const std::vector<Row>&);

}  // namespace cugrade::record
