// Marks as learning management systems import them.
#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"
#include "record/marks.hpp"
#include "record/roster.hpp"

namespace cugrade::record {

/// The hand-in of a student of the roster that was graded.
struct Graded {
    const Student* student = nullptr;
    std::string participant;         ///< Moodle's number of the hand-in; may be empty
    const Report* report = nullptr;  ///< not null
    Mark mark = {};
};

/// Canvas, Grades > Import: one row per student in the order of their first mark, one column per
/// assignment, with its title, and the points possible in the second line. Canvas finds a student
/// by ID (`lms_id`), else by SIS User ID (`id`). Whoever has no mark has an empty field, which
/// Canvas leaves as it is.
[[nodiscard]] std::string canvas_csv(const std::vector<Graded>&);

/// Moodle, an assignment > Upload grading worksheet, for the hand-ins of one assignment. Moodle
/// wants the columns Identifier, Grade and Last modified (grade), and finds a student by the first
/// (mod/assign/feedback/offline/importgradeslib.php). Hand-ins without its number are left out.
[[nodiscard]] std::string moodle_csv(const std::vector<Graded>&);

}  // namespace cugrade::record
