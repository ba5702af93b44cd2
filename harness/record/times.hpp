// Tables of times: when hand-ins came, and extensions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "record/roster.hpp"

namespace cugrade::record {

struct Time {
    std::string student;     ///< safe_name() of the id; empty in Moodle's worksheet
    std::string assignment;  ///< empty: all of the student's
    std::int64_t at = 0;     ///< seconds since 1970
    std::string reason;
    std::string participant = {};  ///< Moodle's number of the hand-in; empty in other tables
    /// as_read(), of Moodle's worksheet; empty in other tables, and where Moodle hides names
    std::string name = {}, email = {};
};

/// A table with a line of names: `id`, `column` with a time (core/utc.hpp), and if there are
/// `assignment` and `reason`; others are passed over. Or a grading worksheet as Moodle gives it out
/// in English, with the columns Identifier and Last modified (submission): its times are those of
/// `zone` (core/utc.hpp), whole minutes, and lines without one are passed over. `file` is for
/// errors: a column is missing, a time is none, a worksheet's zone is not given or none.
[[nodiscard]] Result<std::vector<Time>> read_times(std::string_view text, const std::string& file,
                                                   std::string_view column,
                                                   const std::string& zone = {});
/// The last line about a hand-in: with its number, or about the student and the assignment; one for
/// this assignment comes before one for all. Null: there is none.
[[nodiscard]] const Time* find(const std::vector<Time>&, std::string_view student,
                               std::string_view assignment, std::string_view participant = {});
/// The only line of Moodle's worksheet with the student's email, or else with the name. That of a
/// hand-in whose name has no number of the student's own, as a team's has none. Null: there is
/// none.
[[nodiscard]] const Time* find_person(const std::vector<Time>&, const Student&);

}  // namespace cugrade::record
