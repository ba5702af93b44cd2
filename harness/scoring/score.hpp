// Points from outcomes and policy: a pure function. docs/grading-policy.md has the rules in full.
#pragma once

#include <vector>

#include "core/outcome.hpp"
#include "core/policy.hpp"
#include "core/report.hpp"
#include "core/spec.hpp"

namespace cugrade {

/// Correctness: points times the weighted share of accepted cases among those judged. Performance:
/// credit of the highest tier reached, only where all judged cases are accepted; not judged where
/// nothing was measured. A task none of whose cases could be judged is not judged.
///
/// Technique: points times the share of limits that are kept, only where all judged cases are
/// accepted; not judged where nothing was counted.
///
/// Performance of a task with a failed case is lost if `timing_note` is empty and not judged if it
/// is not: the note says why this run measures nothing. Points are rounded to hundredths.
/// Precondition: the ids of the outcome's cases are those of the task's.
[[nodiscard]] TaskReport score_task(const TaskSpec&, const TaskPolicy&, TaskOutcome);
[[nodiscard]] Score total(const std::vector<TaskReport>&);

}  // namespace cugrade
