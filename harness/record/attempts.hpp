// Which of a student's hand-ins counts. Theory of operation:
//
// Whoever hands in again has several attempts, numbered from 1, each with the time at which it came
// and the report of its last grading. The policy's `attempts` says which one gives the mark:
//
//   best   that with the highest mark, lateness taken off; of several equal ones the newest
//   last   the newest
//   final  the newest of those that could earn something: once the deadline (or the student's
//          extension) and all late days are over, a hand-in takes the place of no earlier one. If
//          all came so late, the newest
//
// An attempt without a report counts under no rule: a hand-in that could not be graded takes
// nothing away. Neither does one that was graded by other rules (another policy, assignment.yaml or
// choice of tasks) than the class, because points by two sets of rules cannot be compared. An
// attempt whose time nobody knows is in time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "core/report.hpp"
#include "record/marks.hpp"

namespace cugrade::record {

/// One hand-in, and what came of it.
struct Attempt {
    int number = 0;                                 ///< from 1
    std::optional<std::int64_t> handed_in_at = {};  ///< seconds since 1970; nothing: not known
    const Report* report = nullptr;                 ///< null: it could not be graded
    std::string problem = {};                       ///< why there is no report
    bool has_other_rules = false;                   ///< it was graded by other rules than the class
    Mark mark = {};            ///< of the report, before a person's decision; judge() sets it
    bool is_too_late = false;  ///< it came after all late days; judge() sets it
    bool counts = false;       ///< judge() sets it
};

/// Fills in what each of a student's attempts is worth, and which one counts. `attempts` ascend in
/// their numbers. Returns that one; null: none.
const Attempt* judge(std::vector<Attempt>& attempts, const Extension&, const HandInPolicy&);

/// Why an attempt does not count, for staff: "an earlier one has the higher mark". Empty: it does.
[[nodiscard]] std::string why_not(const Attempt&, Attempts);

/// "best", "last", "final": as grading.yaml has it.
[[nodiscard]] const char* name(Attempts);

}  // namespace cugrade::record
